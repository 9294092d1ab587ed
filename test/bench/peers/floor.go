package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgproto3/v2"
	"github.com/jackc/pgtype"
	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

// The server of floor.js in Go with pgx, both from Debian's packages: the same statements, and the same bytes.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go build -o floor floor.go && ./floor URL PORT

//go:embed *.sql
var files embed.FS

// Returns the statement of a file beside this one.
func statement(name string) string {
	return strings.Replace(read(name), "COLUMNS", read("columns"), 1)
}

func read(name string) string {
	text, err := files.ReadFile(name + ".sql")
	if err != nil {
		log.Fatal(err)
	}
	return string(text)
}

// Times and floats come as numbers, all else as text.
var formats = pgx.QueryResultFormatsByOID{pgtype.TimestamptzOID: pgx.BinaryFormatCode, pgtype.Float8OID: pgx.BinaryFormatCode}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

type server struct{ pool *pgxpool.Pool }

func (s *server) list(sql string, parameters ...string) http.HandlerFunc {
	return s.answer(sql, parameters, func(body []byte, rows pgx.Rows) ([]byte, error) {
		total := []byte("0")
		body = append(body, `{"data":[`...)
		for n := 0; rows.Next(); n++ {
			if n > 0 {
				body = append(body, ',')
			}
			values := rows.RawValues()
			fields := rows.FieldDescriptions()
			last := len(values) - 1
			total = append(total[:0], values[last]...)
			var err error
			if body, err = appendRow(body, fields[:last], values[:last]); err != nil {
				return nil, err
			}
		}
		body = append(body, `],"meta":{"page":1,"limit":20,"total":`...)
		body = append(body, total...)
		return append(body, "}}"...), rows.Err()
	})
}

func (s *server) item(body []byte, rows pgx.Rows) ([]byte, error) {
	body = append(body, '{')
	for rows.Next() {
		var err error
		body = append(body, `"data":`...)
		if body, err = appendRow(body, rows.FieldDescriptions(), rows.RawValues()); err != nil {
			return nil, err
		}
		body = append(body, ',')
	}
	return append(body, `"meta":{}}`...), rows.Err()
}

func (s *server) answer(sql string, parameters []string, appendBody func([]byte, pgx.Rows) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		arguments := []any{formats}
		for _, name := range parameters {
			arguments = append(arguments, query.Get(name))
		}
		rows, err := s.pool.Query(r.Context(), sql, arguments...)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer rows.Close()
		buffer := buffers.Get().(*[]byte)
		defer buffers.Put(buffer)
		body, err := appendBody((*buffer)[:0], rows)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		*buffer = body
		send(w, body)
	}
}

func send(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

func appendRow(body []byte, fields []pgproto3.FieldDescription, values [][]byte) ([]byte, error) {
	body = append(body, '{')
	for i, value := range values {
		if i > 0 {
			body = append(body, ',')
		}
		body = appendString(body, fields[i].Name)
		body = append(body, ':')
		var err error
		if body, err = appendValue(body, fields[i].DataTypeOID, value); err != nil {
			return nil, err
		}
	}
	return append(body, '}'), nil
}

func appendValue(body []byte, oid uint32, value []byte) ([]byte, error) {
	if value == nil {
		return append(body, "null"...), nil
	}
	switch oid {
	case pgtype.TimestamptzOID:
		// Microseconds since 2000.
		at := time.UnixMicro(int64(binary.BigEndian.Uint64(value)) + 946_684_800_000_000).UTC()
		return at.AppendFormat(body, `"2006-01-02T15:04:05.000Z"`), nil
	case pgtype.Float8OID:
		number, err := json.Marshal(math.Float64frombits(binary.BigEndian.Uint64(value)))
		return append(body, number...), err
	case pgtype.JSONOID, pgtype.JSONBOID:
		var compact bytes.Buffer
		err := json.Compact(&compact, value)
		return append(body, compact.Bytes()...), err
	default:
		return appendString(body, value), nil
	}
}

const hex = "0123456789abcdef"

// Writes a string as JSON.stringify does.
func appendString(body []byte, text []byte) []byte {
	body = append(body, '"')
	from := 0
	for i, c := range text {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		body = append(body, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			body = append(body, '\\', c)
		case '\b':
			body = append(body, `\b`...)
		case '\f':
			body = append(body, `\f`...)
		case '\n':
			body = append(body, `\n`...)
		case '\r':
			body = append(body, `\r`...)
		case '\t':
			body = append(body, `\t`...)
		default:
			body = append(body, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(body, text[from:]...), '"')
}

func constant(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.URL.Query().Get("bytes"))
	send(w, bytes.Repeat([]byte("x"), n))
}

func main() {
	config, err := pgxpool.ParseConfig(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = 8
	if size, err := strconv.Atoi(os.Getenv("POOL_SIZE")); err == nil {
		config.MaxConns = int32(size)
	}
	config.ConnConfig.RuntimeParams["jit"] = "off"
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	pool, err := pgxpool.ConnectConfig(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	s := &server{pool}
	http.HandleFunc("/", s.list(statement("list"), "dataset"))
	http.HandleFunc("/item", s.answer(statement("item"), []string{"id"}, s.item))
	http.HandleFunc("/nearby", s.list(statement("nearby"), "latitude", "longitude", "radius"))
	http.HandleFunc("/constant", constant)
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

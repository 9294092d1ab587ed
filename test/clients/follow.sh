#!/bin/sh
# follow.sh URL DATASET FILE keeps FILE, a copy of the dataset that is its NDJSON export, until it is complete. FILE.next and FILE.cursor have what
# came so far. KEY has the API key. Run it again for the next changes.
set -eu
url=$1 dataset=$2 file=$3
page=$(mktemp)
trap 'rm -f "$page"' EXIT
while :; do
  since=$(cat "$file.cursor" 2>/dev/null || true)
  # Without a cursor a new copy begins, in place of the old one.
  [ -n "$since" ] || : > "$file.next"
  status=$(curl -sS -o "$page" -w '%{http_code}' -H "Authorization: Bearer $KEY" "$url/changes/$dataset${since:+?since=$since}") || status=000
  case $status in
    200) ;;
    410) rm -f "$file.cursor"; continue ;;
    000 | 429 | 5??) sleep 10; continue ;;
    *) cat "$page" >&2; exit 1 ;;
  esac
  # A body without its last line is not applied.
  cursor=$(tail -n 1 "$page" | jq -er .cursor 2>/dev/null) || continue
  LC_ALL=C awk '
    /^\{"id":/     { item[substr($0, 8, 36)] = $0 }
    /^\{"put":/    { item[substr($0, 15, 36)] = substr($0, 8, length($0) - 8) }
    /^\{"delete":/ { delete item[substr($0, 12, 36)] }
    END { for (id in item) print item[id] }' "$file.next" "$page" | LC_ALL=C sort > "$file.new"
  mv "$file.new" "$file.next"
  printf %s "$cursor" > "$file.cursor"
  if [ "$(tail -n 1 "$page" | jq .complete)" = true ]; then
    cp "$file.next" "$file.new" && mv "$file.new" "$file"
    exit
  fi
done

# What .ci/run and .ci/night share: their counts, the Debian packages, and a PostgreSQL. They source this file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true
# A download may fail more often than the two times that npm tries again by itself.
export npm_config_fetch_retries=5

work=$(mktemp -d)
pgdata=$work/postgres
# Each step adds a line here: how many passed, and how many failed.
counts=$work/counts
# What failed, a line each: the end of the output names it.
failures=$work/failures
touch "$counts" "$failures"

# Vitest's workers: one a core, and 3 GB of memory for each, as a test file may have an embedded database and a gateway with another.
cores=$(nproc)
gigabytes=$(awk '/MemTotal/ { print int($2 / 1048576) }' /proc/meminfo)
workers=$((cores * 3 > gigabytes ? gigabytes / 3 : cores))
workers=$((workers < 1 ? 1 : workers))

step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }

clean_up() {
  local jobs
  jobs=$(jobs -p)
  [ -z "$jobs" ] || kill $jobs 2>/dev/null || true
  if [ -f "$pgdata/postmaster.pid" ]; then as_postgres "$pgbin/pg_ctl" -D "$pgdata" -m immediate stop >/dev/null || true; fi
  rm -rf "$work"
}
trap clean_up EXIT

as_postgres() { runuser -u postgres -- "$@"; }

# Prints the counts of vitest's report, then each failed test or file with the beginning of its first message.
read_report() {
  node -e '
    const r = JSON.parse(require("fs").readFileSync(process.argv[1]))
    console.log(r.numPassedTests, r.numFailedTests || (r.success && r.numPassedTests > 0 ? 0 : 1))
    const short = (message) => message.replace(/\x1b\[[0-9;]*m/g, "").slice(0, 600)
    for (const file of r.testResults) {
      if (file.status === "failed" && file.message) console.log(`${file.name}: ${short(file.message)}`)
      for (const test of file.assertionResults) if (test.status === "failed") console.log(`${file.name}: ${test.fullName}: ${short(test.failureMessages[0] ?? "")}`)
    }' "$1"
}

# Runs the given command, which runs vitest, and adds what its report counts. No report is a failure, and so is a report without a
# test that passed: Vitest ends with 0 if no test has the given name.
count_tests() {
  local report code=0 line p f
  report=$(mktemp -u "$work/report.XXXXXX.json")
  "$@" --reporter=default --reporter=json --outputFile.json="$report" 2>&1 | tee "$report.log" || code=$?
  read_report "$report" >"$report.txt" || echo "0 1" >"$report.txt"
  read -r p f <"$report.txt"
  [ "$code" -eq 0 ] || [ "$f" -gt 0 ] || f=1
  echo "$p $f" >>"$counts"
  # The report has no errors outside of tests, such as a worker that ended. The output names them last.
  [ "$f" -eq 0 ] || { echo "$* ended with $code"; tail -n +2 "$report.txt"; sed -n '/Unhandled Errors/,$p' "$report.log" | head -n 40; } >>"$failures"
}

# Runs the tests of the pages. A test waits five minutes for what a broken page never shows, so the third failure is the last.
count_browser() { count_tests npx vitest run --project browser --bail 3 --maxWorkers="$workers"; }

# Runs the given command, which passes or fails as a whole.
count_step() {
  if "$@"; then echo '1 0' >>"$counts"; else echo '0 1' >>"$counts"; echo "$*" >>"$failures"; fi
}

# Runs the given command beside what follows. `finish_background` waits for all of them and prints what they printed.
in_background() {
  local name=$1
  shift
  "$@" >"$work/background.$name.log" 2>&1 &
}

finish_background() {
  wait
  for log in "$work"/background.*.log; do
    printf '\n-- %s\n' "$(basename "$log")"
    cat "$log"
    rm "$log"
  done
}

# Twenty kills of the embedded database, shared out to one process a worker.
start_kills() {
  local share
  for share in $(seq "$workers"); do
    CRASHES=$(((20 + workers - 1) / workers)) in_background "kills.$share" \
      count_tests npx vitest run test/embedded/crash.isolated.test.ts --testNamePattern 'a sound database opens'
  done
}

# Shows what a request costs at some doors beside the commit in test/bench/baseline. It asserts nothing, and never fails.
compare_with_baseline() {
  local commit other=$work/baseline
  commit=$(cat test/bench/baseline)
  if ! git -c safe.directory='*' worktree add --detach "$other" "$commit" >/dev/null 2>&1; then
    printf 'This clone has no commit %s, so nothing is compared\n' "$commit"
    return 0
  fi
  (cd "$other" && npm ci --no-audit --no-fund --prefer-offline) >"$work/baseline.log" 2>&1 &&
    timeout 900 npx node test/bench/checkouts.ts "postgresql://postgres@127.0.0.1:$port/postgres" "$other" --rounds 2 --doors 'item|list|relations' ||
    printf 'The comparison with %s did not end\n' "$commit"
  git -c safe.directory='*' worktree remove --force "$other" || true
}

install_packages() {
  local packages=(postgresql postgresql-15-postgis-3 caddy chromium curl etcd-server gdal-bin haproxy jq libreoffice-calc-nogui nginx openssl patroni pgbouncer python3-pandas redis-server systemd wrk)
  if dpkg -s "${packages[@]}" >/dev/null 2>&1; then return; fi
  export DEBIAN_FRONTEND=noninteractive
  for attempt in 1 2 3; do
    if apt-get update -qq && apt-get install -y -qq --no-install-recommends "${packages[@]}" >"$work/apt.log" 2>&1; then return; fi
    printf 'apt-get failed, attempt %s\n' "$attempt"
    sleep 10
  done
  tail -20 "$work/apt.log"
  return 1
}

start_postgres() {
  pgbin=$(dirname "$(find /usr/lib/postgresql -name initdb | sort -V | tail -n 1)")
  chmod 755 "$work"
  install -d -o postgres "$pgdata"
  as_postgres "$pgbin/initdb" -D "$pgdata" -A trust -U postgres --locale=C.UTF-8 >/dev/null
  port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
  as_postgres "$pgbin/pg_ctl" -D "$pgdata" -w -l "$pgdata/log" \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$pgdata -c fsync=off -c max_connections=400" start >/dev/null
}

# Installs everything from the registry and from Debian, and starts PostgreSQL.
prepare() {
  local packages
  install_packages &
  packages=$!
  npm ci --no-audit --no-fund
  count_step npm run client
  wait "$packages"
  start_postgres
  url=postgresql://postgres@127.0.0.1:$port/postgres
}

# Prints the failures and the last line, and ends with 1 if there is a failure.
finish() {
  local passed failed
  step 'done'
  read -r passed failed < <(awk '{ p += $1; f += $2 } END { print p + 0, f + 0 }' "$counts")
  [ "$failed" -eq 0 ] || { printf '\nFailed:\n'; cat "$failures"; }
  printf '%s passed, %s failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
}

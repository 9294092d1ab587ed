"""follow.py URL DATASET DATABASE keeps the items of a dataset in SQLite, each as its line in the NDJSON export. KEY has the API key.

With --follow it goes on for ever, and a change is there as soon as it is made."""
import json, os, sqlite3, sys, time, urllib.error, urllib.request

url, dataset, path = sys.argv[1:4]
follows = sys.argv[4:] == ['--follow']
db = sqlite3.connect(path)
db.execute('CREATE TABLE IF NOT EXISTS items (id TEXT PRIMARY KEY, line TEXT NOT NULL)')
db.execute('CREATE TABLE IF NOT EXISTS state (cursor TEXT, dataset TEXT)')


def read(cursor):
    """Returns the lines of the next page, or None if the copy begins again."""
    address = f'{url}/changes/{dataset}' + (f'?since={cursor}' if cursor else '')
    headers = {'Authorization': 'Bearer ' + os.environ['KEY'], **({'Prefer': 'wait=60'} if follows and cursor else {})}
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=120) as page:
                return page.read().decode().split('\n')[:-1]
        except urllib.error.HTTPError as error:
            if error.code == 410:
                return None
            if error.code not in (429, 503):
                raise
            time.sleep(int(error.headers.get('Retry-After', 10)))


while True:
    cursor, described = (db.execute('SELECT * FROM state').fetchone() or (None, None))
    lines = read(cursor)
    # One transaction for a page and its cursor: a program that is killed goes on where it was.
    with db:
        if lines is None or cursor is None:
            db.execute('DELETE FROM items')
        if lines is None:
            db.execute('DELETE FROM state')
            continue
        end = json.loads(lines.pop())
        for line in lines:
            change = json.loads(line)
            if 'dataset' in change:
                described = json.dumps(change['dataset'])
            elif 'put' in change:
                db.execute('INSERT OR REPLACE INTO items VALUES (?, ?)', (change['put']['id'], line[len('{"put":'):-1]))
            else:
                db.execute('DELETE FROM items WHERE id = ?', (change['delete'],))
        db.execute('DELETE FROM state')
        db.execute('INSERT INTO state VALUES (?, ?)', (end['cursor'], described))
    if end['complete'] and not follows:
        break

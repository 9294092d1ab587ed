#!/usr/bin/env bash
# Makes of a package of npm what runs on a machine without Node: a Debian package, and one executable file. Both have the Node of this
# project, and are for the kind of machine that makes them.
#   package/release.sh dataset-catalog-1.0.0-rc.1.tgz FOLDER
set -euo pipefail
tarball=$(realpath "$1")
folder=$(realpath "$2")
here=$(dirname "$(realpath "$0")")
node=$(realpath "$here/../node_modules/node/bin/node")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# The package as npm installs it, with what its first start writes.
mkdir "$work/app"
cd "$work/app"
echo '{}' >package.json
npm install --no-audit --no-fund --silent "$tarball"
DATA_DIR=$work/first "$node" node_modules/.bin/catalog migrate >/dev/null 2>&1
app=$work/app/node_modules/dataset-catalog
# Compiled modules are valid at one path only.
rm -rf node_modules/.bin node_modules/.package-lock.json package.json package-lock.json "$app/node_modules"
version=$("$node" -p 'require(process.argv[1]).version' "$app/package.json")

# The Debian package. 1.1.0~rc.1 is older than 1.1.0.
architecture=$(dpkg --print-architecture)
root=$work/root
doc=$root/usr/share/doc/dataset-catalog
install -D "$node" "$root/usr/lib/dataset-catalog/node"
strip "$root/usr/lib/dataset-catalog/node"
cp -r "$work/app/node_modules" "$root/usr/lib/dataset-catalog/"
install -D "$here/debian/catalog" "$root/usr/bin/catalog"
ln -s catalog "$root/usr/bin/dataset-catalog"
install -D -m 644 "$here/../docs/deployment/catalog.service" "$root/lib/systemd/system/catalog.service"
install -D -m 640 "$here/debian/env" "$root/etc/dataset-catalog/env"
install -D -m 644 "$here/../.env.example" "$doc/env.example"
cat "$app/THIRD_PARTY.md" "$app/dist/LICENSES.txt" >"$doc/copyright"
gzip -9n <"$app/CHANGELOG.md" >"$doc/changelog.gz"
mkdir "$root/DEBIAN"
install "$here"/debian/{postinst,prerm,postrm} "$root/DEBIAN/"
echo /etc/dataset-catalog/env >"$root/DEBIAN/conffiles"
sed "s/@VERSION@/${version/-/\~}/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$(du -sk "$root" | cut -f 1)/" \
  "$here/debian/control" >"$root/DEBIAN/control"
# The time that npm gives to all files, so that equal contents make equal packages.
find "$root" -newermt @499162500 -exec touch --no-dereference --date=@499162500 {} +
SOURCE_DATE_EPOCH=499162500 dpkg-deb --root-owner-group -z3 --build "$root" "$folder/dataset-catalog_${version/-/\~}_$architecture.deb"

# The executable file: https://nodejs.org/api/single-executable-applications.html
printf '%s-%s' "$version" "$(sha256sum "$tarball" | head -c 16)" >"$work/id"
executable=$folder/dataset-catalog-$version-linux-$("$node" -p process.arch)
cd "$work"
"$node" -e '
  const [app, main, id] = process.argv.slice(1)
  const isFile = (entry) => entry.isFile()
  const files = fs.readdirSync(app, { recursive: true, withFileTypes: true }).filter(isFile).map((entry) => path.join(entry.parentPath, entry.name))
  const assets = { id, ...Object.fromEntries(files.map((file) => [path.relative(app, file), file])) }
  const options = { disableExperimentalSEAWarning: true, execArgv: ["--max-semi-space-size=32"], assets }
  fs.writeFileSync("sea.json", JSON.stringify({ main, output: "blob", ...options }))
' "$work/app" "$here/executable.cjs" "$work/id"
"$node" --experimental-sea-config sea.json
cp "$root/usr/lib/dataset-catalog/node" "$executable"
npx --yes postject@1.0.0-alpha.6 "$executable" NODE_SEA_BLOB blob \
  --sentinel-fuse NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2 >/dev/null 2>"$work/postject.log" || { cat "$work/postject.log"; exit 1; }

// What the packages contain besides packages of npm: the libraries in Node (in the Debian package and the executable file), and those that are
// compiled into PGlite. Scanners find known faults in them by the `cpe` of the SBOM.

const { versions } = process

/** @type {readonly [within: string, name: string, version: string | undefined, license: string, cpe?: string][]} */
const LISTED = [
  ['Node', 'Node.js', versions.node, 'MIT', 'nodejs:node.js'],
  ['Node', 'OpenSSL', versions.openssl, 'Apache-2.0', 'openssl:openssl'],
  ['Node', 'V8', versions.v8, 'BSD-3-Clause', 'google:v8'],
  ['Node', 'ICU', versions.icu, 'Unicode-3.0', 'icu-project:international_components_for_unicode'],
  ['Node', 'libuv', versions.uv, 'MIT', 'libuv:libuv'],
  ['Node', 'zlib', versions.zlib?.split('-')[0], 'Zlib', 'zlib:zlib'],
  ['Node', 'Brotli', versions.brotli, 'MIT', 'google:brotli'],
  ['Node', 'Zstandard', versions.zstd, 'BSD-3-Clause', 'facebook:zstandard'],
  ['Node', 'SQLite', versions.sqlite, 'blessing', 'sqlite:sqlite'],
  ['Node', 'c-ares', versions.ares, 'MIT', 'c-ares:c-ares'],
  ['Node', 'nghttp2', versions.nghttp2, 'MIT', 'nghttp2:nghttp2'],
  ['Node', 'llhttp', versions.llhttp, 'MIT', 'llhttp:llhttp'],
  ['Node', 'undici', versions.undici, 'MIT', 'nodejs:undici'],
  ['Node', 'simdjson', versions.simdjson, 'Apache-2.0'],
  ['Node', 'simdutf', versions.simdutf, 'MIT'],
  ['Node', 'Ada', versions.ada, 'MIT'],
  // PGlite says them: SELECT version(), postgis_full_version().
  ['PGlite', 'PostgreSQL', '18.3', 'PostgreSQL', 'postgresql:postgresql'],
  ['PGlite', 'PostGIS', '3.6.2', 'GPL-2.0-or-later', 'postgis:postgis'],
  ['PGlite', 'GEOS', '3.14.0', 'LGPL-2.1-or-later', 'osgeo:geos'],
  ['PGlite', 'PROJ', '9.7.0', 'MIT', 'osgeo:proj'],
  ['PGlite', 'libxml2', '2.14.5', 'MIT', 'xmlsoft:libxml2'],
  ['PGlite', 'json-c', '0.18', 'MIT', 'json-c:json-c'],
]

export const NATIVE = LISTED.map(([within, name, version = 'unknown', license, cpe]) => ({
  ...{ within, name, version, license },
  cpe: cpe && `cpe:2.3:a:${cpe}:${version}:*:*:*:*:*:*:*`,
}))

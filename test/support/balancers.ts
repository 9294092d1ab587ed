import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type ClientHttp2Session, connect } from 'node:http2'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { environment, runProcess, startProcess } from './process.ts'

/*
 * The balancers of docs/deployment/ before two gateways, on addresses of the loopback interface.
 */

export const HOST = 'catalog.example.org'
export const deploymentFile = (name: string) =>
  readFileSync(new URL(`../../docs/deployment/${name}`, import.meta.url), 'utf8')

/** A balancer at an address of the documentation, without the three first numbers. */
interface Balancer {
  address: string
  program: string
  file: string
  args: (file: string) => string[]
  /** Changes what a test can't have: the port of a superuser, a certificate of others, and checks that a busy machine can't pass. */
  adapt: (text: string, folder: string) => string
}

const PORT = 8443
const CERTIFICATE = 'catalog-with-key.pem'

export const BALANCERS: Readonly<Record<string, Balancer>> = {
  HAProxy: {
    address: '5',
    program: '/usr/sbin/haproxy',
    file: 'haproxy.cfg',
    args: (file) => ['-db', '-f', file],
    adapt: (text, folder) =>
      text
        .replace(':443 ', `:${PORT} `)
        .replaceAll('/etc/ssl/', `${folder}/`)
        .replace('timeout check 1s', 'timeout check 15s')
        // The only gateway that serves may fail a check. One that stops has failed five sooner than it ends.
        .replace('fall 1', 'fall 5'),
  },
  nginx: {
    address: '6',
    program: '/usr/sbin/nginx',
    file: 'nginx.conf',
    args: (file) => ['-c', file, '-e', 'stderr', '-g', 'daemon off; master_process off;'],
    adapt: (text, folder) =>
      text
        .replace(':443 ', `:${PORT} `)
        .replace('/run/nginx.pid', `${folder}/nginx.pid`)
        .replace(/\/etc\/ssl\/catalog\.(?:pem|key)/g, join(folder, CERTIFICATE)),
  },
  Caddy: {
    address: '7',
    program: '/usr/bin/caddy',
    file: 'Caddyfile',
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    adapt: (text) =>
      `{\n local_certs\n skip_install_trust\n admin off\n http_port 8081\n https_port ${PORT}\n}\n${text.replace('health_timeout 1s', 'health_timeout 15s')}`,
  },
}

const isThere = [...Object.values(BALANCERS).map(({ program }) => program), '/usr/bin/openssl'].every((program) =>
  existsSync(program),
)
/** Whether to run the tests with all balancers. In CI they always run. */
export const hasBalancers = isThere || process.env.CI !== undefined
if (!hasBalancers) process.stderr.write('No haproxy, nginx or caddy: the tests of docs/deployment/ are skipped\n')

/** Starts all balancers with the files of the documentation, whose addresses get other first numbers, such as `127.1.2.`. */
export async function startBalancers(folder: string, network: string): Promise<void> {
  const certificate = join(folder, CERTIFICATE)
  const subject = ['-subj', `/CN=${HOST}`, '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const made = ['req', '-x509', '-nodes', ...subject, '-keyout', certificate, '-out', `${certificate}.crt`]
  await runProcess('openssl', made, environment({}))
  await writeFile(certificate, readFileSync(`${certificate}.crt`), { flag: 'a' })
  for (const { program, file, args, adapt } of Object.values(BALANCERS)) {
    const path = join(folder, file)
    await writeFile(path, adapt(deploymentFile(file), folder).replaceAll('10.0.0.', network))
    startProcess(program, args(path), { stdio: 'ignore', env: environment({ HOME: folder }) })
  }
}

interface Client {
  network: string
  balancer: Balancer
  /** The last number of the client's own address. */
  from: string
}

const open = ({ network, balancer, from }: Client, protocol: string) =>
  connectTls({
    ...{ host: network + balancer.address, port: PORT, localAddress: network + from, servername: HOST },
    ...{ ALPNProtocols: [protocol], rejectUnauthorized: false },
  })

/** Opens a connection of HTTP/2 to a balancer. */
export function openSession(client: Client): ClientHttp2Session {
  const session = connect(`https://${HOST}`, { createConnection: () => open(client, 'h2') })
  // The next request has the error of a lost connection.
  session.on('error', () => {})
  return session
}

/** An agent of HTTP/1.1 that keeps one connection to a balancer. */
export function keepAlive(client: Client): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  agent.createConnection = () => open(client, 'http/1.1')
  return agent
}

/** A response. */
export interface Answer {
  status: number
  body: string
}

/** Sends a request of HTTP/2. A body is sent by POST, as JSON. */
export async function ask(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
): Promise<Answer> {
  const post = body && { ':method': 'POST', 'content-type': 'application/json' }
  const stream = session.request({ ':path': path, ...headers, ...post })
  stream.end(body && JSON.stringify(body))
  let status = 0
  stream.on('response', ({ ':status': code = 0 }) => {
    status = code
  })
  return { body: String(await buffer(stream)), status }
}

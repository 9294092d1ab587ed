import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadAll } from 'js-yaml'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { readConfig } from '../../src/config/config.ts'
import { PROCESS_ENDS_MS, REQUESTS_END_MS } from '../../src/config/stop-times.ts'
import { deploymentFile } from '../support/balancers.ts'
import { environment, runProcess } from '../support/process.ts'

/*
 * The files of docs/deployment/: the unit of systemd, and the manifest for Kubernetes.
 */

const VERIFY = '/usr/bin/systemd-analyze'

test.runIf(existsSync(VERIFY) || process.env.CI)(
  'systemd finds no fault in the unit, and calls it well closed',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'catalog-unit-'))
    const file = join(folder, 'catalog.service')
    const verify = async (text: string, ...command: string[]) => {
      await writeFile(file, text)
      return runProcess(VERIFY, [...(command.length > 0 ? command : ['verify']), file], environment({}))
    }
    // The program is not installed there.
    const unit = deploymentFile('catalog.service').replace('/usr/bin/catalog', process.execPath)
    expect(await verify(unit)).toMatchObject({ code: 0, stderr: '' })
    // "Exposure" goes from 0 to 100. A service without any of these settings has 96.
    expect(await verify(unit, 'security', '--offline=true', '--threshold=20')).toMatchObject({ code: 0 })
    expect((await verify(unit.replace('NoNewPrivileges', 'NoNewPrivilege'))).stderr).toContain('Unknown key')
    await rm(folder, { recursive: true })
  },
)

const probe = (path: string) =>
  z.object({ httpGet: z.object({ path: z.literal(path) }), periodSeconds: z.int(), timeoutSeconds: z.int().optional() })
const container = z.object({
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  // A process that waits for a migration is not ready for as long as that takes.
  startupProbe: probe('/healthz'),
  readinessProbe: probe('/readyz'),
  livenessProbe: probe('/healthz'),
  resources: z.object({ limits: z.object({ cpu: z.string() }) }),
  securityContext: z.object({ readOnlyRootFilesystem: z.literal(true) }),
})
const pod = z.object({
  securityContext: z.object({ runAsNonRoot: z.literal(true) }),
  containers: z.tuple([container]),
})
const labels = z.object({ app: z.string() })
const DEPLOYMENT = z.object({ spec: z.object({ template: z.object({ spec: pod, metadata: z.object({ labels }) }) }) })
const migration = z.object({
  command: z.tuple([z.literal('catalog'), z.literal('migrate')]),
  image: z.string(),
})
const JOB = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    activeDeadlineSeconds: z.never().optional(),
    template: z.object({ metadata: z.object({ labels }), spec: z.object({ containers: z.tuple([migration]) }) }),
  }),
})
const SERVICE = z.object({ spec: z.object({ selector: labels }) })
const rule = z.object({ from: z.array(z.unknown()), ports: z.array(z.object({ port: z.string() })) })
const POLICY = z.object({ spec: z.object({ ingress: z.array(rule) }) })

/** What the tests read. The schemas of Kubernetes (kubernetes-models 5.1.0, 25 MB) find no fault in the file. */
function manifests() {
  const [job, deployment, service, , policy] = loadAll(deploymentFile('kubernetes.yml'))
  return {
    job: JOB.parse(job),
    deployment: DEPLOYMENT.parse(deployment),
    service: SERVICE.parse(service),
    policy: POLICY.parse(policy),
  }
}

test('a Job migrates the database in its own time, and no client is sent to it or to the metrics', () => {
  const { job, deployment, service, policy } = manifests()
  const { name, image } = { ...job.metadata, ...job.spec.template.spec.containers[0] }
  expect(image.split(':')[1]).toBe(name.replace('catalog-migrate-', ''))
  expect(deployment.spec.template.metadata.labels).toEqual(service.spec.selector)
  expect(job.spec.template.metadata.labels).not.toEqual(service.spec.selector)
  const ports = policy.spec.ingress.map(({ ports }) => ports.map(({ port }) => port))
  expect(ports).toEqual([['http'], ['metrics']])
})

test('a Service in the namespace sets no variables of the gateway, as one named metrics would with METRICS_PORT', () => {
  const [job, deployment] = loadAll(deploymentFile('kubernetes.yml'))
  for (const pod of [job, deployment])
    expect(pod).toMatchObject({ spec: { template: { spec: { enableServiceLinks: false } } } })
})

test('HAProxy takes a gateway out after two failed checks, and a gateway that stops waits for that', () => {
  const text = deploymentFile('haproxy.cfg')
  expect(text).toContain('default-server check inter 1s fall 2 rise 1')
  expect(Number(/SHUTDOWN_DELAY_MS=(\d+)/.exec(text)?.[1])).toBeGreaterThan(2 * (1_000 + 1_000))
})

/** The seconds from SIGTERM to the kill. A stop may take as long as its delay and PROCESS_ENDS_MS. */
test.each([
  ['catalog.service', /^TimeoutStopSec=(\d+)$/m],
  ['kubernetes.yml', /^ +terminationGracePeriodSeconds: (\d+)$/m],
  ['../../compose.yaml', /^ +stop_grace_period: (\d+)s$/m],
])('%s gives a stop enough time', (file, pattern) => {
  const text = deploymentFile(file)
  const [, delayMs = '0'] = /SHUTDOWN_DELAY_MS\W+(?:value\W+)?(\d+)/.exec(text) ?? []
  expect(Number(pattern.exec(text)?.[1]) * 1000).toBeGreaterThan(Number(delayMs) + PROCESS_ENDS_MS)
  expect(text.replace(/\s+#? */g, ' ')).toContain(`SHUTDOWN_DELAY_MS and ${PROCESS_ENDS_MS / 1000} seconds`)
})

test('the page on configuration says how long a stop takes', () => {
  const times = `at most ${PROCESS_ENDS_MS / 1000} seconds, in which requests have ${REQUESTS_END_MS / 1000} to complete`
  expect(deploymentFile('../configuration.md')).toContain(times)
})

test('the manifest for Kubernetes has known settings, and a load balancer notices a stop before its delay ends', () => {
  const { containers } = manifests().deployment.spec.template.spec
  const env = Object.fromEntries(containers[0].env.map(({ name, value }) => [name, value]))
  const { shutdownDelayMs, metricsPort, workers } = readConfig({
    ...env,
    DATABASE_URL: 'postgresql://10.0.0.5/catalog',
  })
  const { periodSeconds, timeoutSeconds = 1 } = containers[0].readinessProbe
  expect(shutdownDelayMs).toBeGreaterThan((periodSeconds + timeoutSeconds) * 1000)
  expect({ metricsPort, workers }).toEqual({ metricsPort: 9100, workers: Number(containers[0].resources.limits.cpu) })
})

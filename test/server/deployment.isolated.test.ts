import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadAll } from 'js-yaml'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { readConfig } from '../../src/config/config.ts'
import { SHUTDOWN_GRACE_MS } from '../../src/gateway/admission/connection-limits.ts'
import { deploymentFile } from '../support/balancers.ts'
import { environment, runProcess } from '../support/process.ts'

/*
 * The files of docs/deployment/: the unit of systemd, and the manifest for Kubernetes.
 */

const VERIFY = '/usr/bin/systemd-analyze'

test.runIf(existsSync(VERIFY) || process.env.CI)('systemd finds no fault in the unit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-unit-'))
  const file = join(folder, 'catalog.service')
  const verify = async (text: string) => {
    await writeFile(file, text)
    return runProcess(VERIFY, ['verify', file], environment({}))
  }
  // The program is not installed there.
  const unit = deploymentFile('catalog.service').replace('/opt/catalog/node_modules/.bin/catalog', process.execPath)
  expect(await verify(unit)).toMatchObject({ code: 0, stderr: '' })
  expect((await verify(unit.replace('NoNewPrivileges', 'NoNewPrivilege'))).stderr).toContain('Unknown key')
  await rm(folder, { recursive: true })
})

const labels = z.strictObject({ app: z.literal('catalog') })
const selector = z.strictObject({ matchLabels: labels })
const head = (kind: string, apiVersion: string) => ({
  ...{ apiVersion: z.literal(apiVersion), kind: z.literal(kind) },
  metadata: z.strictObject({ name: z.literal('catalog') }),
})
const probe = (path: string) =>
  z.strictObject({
    httpGet: z.strictObject({ path: z.literal(path), port: z.literal('http') }),
    periodSeconds: z.int(),
    timeoutSeconds: z.int().optional(),
    failureThreshold: z.int(),
  })
const amount = z.strictObject({ cpu: z.string().regex(/^\d+$/), memory: z.string().regex(/^\d+Gi$/) })
const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  ports: z.tuple([
    z.strictObject({ name: z.literal('http'), containerPort: z.literal(4000) }),
    z.strictObject({ name: z.literal('metrics'), containerPort: z.literal(9100) }),
  ]),
  envFrom: z.tuple([z.strictObject({ secretRef: z.strictObject({ name: z.string() }) })]),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  startupProbe: probe('/readyz'),
  readinessProbe: probe('/readyz'),
  livenessProbe: probe('/healthz'),
  resources: z.strictObject({ requests: amount, limits: amount }),
  securityContext: z.looseObject({ readOnlyRootFilesystem: z.literal(true) }),
  volumeMounts: z.tuple([z.strictObject({ name: z.literal('tmp'), mountPath: z.literal('/tmp') })]),
})
const pod = z.strictObject({
  automountServiceAccountToken: z.literal(false),
  terminationGracePeriodSeconds: z.int(),
  securityContext: z.looseObject({ runAsNonRoot: z.literal(true), runAsUser: z.int().positive() }),
  topologySpreadConstraints: z.tuple([z.looseObject({ labelSelector: selector })]),
  containers: z.tuple([container]),
  volumes: z.tuple([z.strictObject({ name: z.literal('tmp'), emptyDir: z.strictObject({}) })]),
})
/** The fields of the manifest. The schemas of Kubernetes (kubernetes-models 5.1.0, 25 MB) find no fault in it. */
const MANIFEST = z.tuple([
  z.strictObject({
    ...head('Deployment', 'apps/v1'),
    spec: z.strictObject({
      ...{
        replicas: z.literal(2),
        minReadySeconds: z.int(),
        selector,
        strategy: z.looseObject({ rollingUpdate: z.looseObject({}) }),
      },
      template: z.strictObject({ metadata: z.strictObject({ labels }), spec: pod }),
    }),
  }),
  z.strictObject({
    ...head('Service', 'v1'),
    spec: z.strictObject({ selector: labels, ports: z.tuple([z.looseObject({ targetPort: z.literal('http') })]) }),
  }),
  z.strictObject({
    ...head('PodDisruptionBudget', 'policy/v1'),
    spec: z.strictObject({ minAvailable: z.literal(1), selector }),
  }),
])

test('the manifest for Kubernetes has known fields and settings, and its grace is long enough', () => {
  const [deployment] = MANIFEST.parse(loadAll(deploymentFile('kubernetes.yml')))
  const { containers, terminationGracePeriodSeconds } = deployment.spec.template.spec
  const env = Object.fromEntries(containers[0].env.map(({ name, value }) => [name, value]))
  const { shutdownDelayMs, metricsPort, workers } = readConfig({
    ...env,
    DATABASE_URL: 'postgresql://10.0.0.5/catalog',
  })
  expect(terminationGracePeriodSeconds * 1000).toBeGreaterThan(shutdownDelayMs + SHUTDOWN_GRACE_MS)
  const { periodSeconds, timeoutSeconds = 1 } = containers[0].readinessProbe
  expect(shutdownDelayMs).toBeGreaterThan((periodSeconds + timeoutSeconds) * 1000)
  expect({ metricsPort, workers }).toEqual({ metricsPort: 9100, workers: Number(containers[0].resources.limits.cpu) })
})

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

const probe = (path: string) =>
  z.object({ httpGet: z.object({ path: z.literal(path) }), periodSeconds: z.int(), timeoutSeconds: z.int().optional() })
const container = z.object({
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  startupProbe: probe('/readyz'),
  readinessProbe: probe('/readyz'),
  livenessProbe: probe('/healthz'),
  resources: z.object({ limits: z.object({ cpu: z.string() }) }),
  securityContext: z.object({ readOnlyRootFilesystem: z.literal(true) }),
})
const pod = z.object({
  terminationGracePeriodSeconds: z.int(),
  securityContext: z.object({ runAsNonRoot: z.literal(true) }),
  containers: z.tuple([container]),
})
/** What the test reads. The schemas of Kubernetes (kubernetes-models 5.1.0, 25 MB) find no fault in the file. */
const DEPLOYMENT = z.object({ kind: z.literal('Deployment'), spec: z.object({ template: z.object({ spec: pod }) }) })

test('the manifest for Kubernetes has known settings, and its grace is long enough', () => {
  const deployment = DEPLOYMENT.parse(loadAll(deploymentFile('kubernetes.yml'))[0])
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

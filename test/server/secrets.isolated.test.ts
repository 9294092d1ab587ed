import { expect, test } from 'vitest'
import { createEmpty } from '../support/database.ts'
import { runCatalog, startGateway } from '../support/process.ts'

test('A key appears in no output, log, metric, response or header, wherever a client puts it', async () => {
  const { env, drop } = await createEmpty()
  const gateway = await startGateway({ ...env, SAMPLE_DATA: 'false', LOG_LEVEL: 'trace', METRICS_PORT: '0' })
  let output = gateway.printed
  gateway.child.stdout?.on('data', (data) => {
    output += data
  })
  gateway.child.stderr?.on('data', (data) => {
    output += data
  })
  const { stdout } = await runCatalog(env, 'keys', 'create', '--json', '--name', 'x')
  const { key, id } = JSON.parse(stdout)
  const wrong = `dck_${'B'.repeat(43)}`
  const told: string[] = []
  for (const secret of [key, wrong]) {
    for (const [path, init] of [
      ['/v1/datasets', {}],
      ['/v1/datasets/x', {}],
      ['/v1/datasets?limit=x', {}],
      ['/nowhere', {}],
      [`/v1/datasets?key=${secret}`, { headers: {} }],
      ['/graphql', { method: 'POST', body: '{' }],
      ['/graphql', { method: 'POST', body: JSON.stringify({ query: '{ nothing }' }) }],
      ['/v1/datasets', { headers: { authorization: `Basic ${secret}` } }],
      ['/v1/datasets', { headers: { authorization: secret } }],
    ] as [string, RequestInit][]) {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
      const response = await fetch(gateway.url + path, { headers, ...init })
      told.push(JSON.stringify([...response.headers]), await response.text())
    }
  }
  const metrics = await fetch(/Metrics at (\S+)/.exec(gateway.printed)?.[1] ?? '')
  told.push(await metrics.text())
  await runCatalog(env, 'keys', 'revoke', id)
  await gateway.stop()
  const list = await runCatalog(env, 'keys', 'list', '--json')
  for (const text of [output, list.stdout, ...told]) {
    expect(text).not.toContain(key)
    expect(text).not.toContain(wrong)
  }
  await drop()
})

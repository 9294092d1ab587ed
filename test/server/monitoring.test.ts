import { globSync, readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { pino } from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { readConfig } from '../../src/config/config.ts'
import { addRoute, createHttp } from '../../src/gateway/http.ts'
import { Readiness } from '../../src/gateway/readiness.ts'
import { openMetrics } from '../../src/gateway/telemetry/metrics.ts'
import { useApp } from '../support/app.ts'

/* The files of docs/monitoring, which Prometheus and Grafana read. */

const read = (name: string) => readFileSync(new URL(`../../docs/monitoring/${name}`, import.meta.url), 'utf8')

const ALERTS = z
  .object({ groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })) })
  .parse(load(read('alerts.yml')))
  .groups.flatMap(({ rules }) => rules)
const PANELS = z
  .object({ panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })) })
  .parse(JSON.parse(read('grafana/catalog.json'))).panels

/** Prometheus itself makes this metric: whether it could read a target. */
const OF_PROMETHEUS = ['up']

/** The metrics of an expression: the words that are followed by labels, a range or the end, and not by parentheses. */
function metricsOf(expression: string): string[] {
  const withoutLabels = expression.replaceAll(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, ' ')
  return withoutLabels.match(/\b[a-z]\w*_\w+\b(?!\s*\()|\bup\b/g) ?? []
}

const metrics = openMetrics()
const t = useApp({ metrics })
let printed: string
beforeAll(async () => {
  for (const path of ['/v1/datasets/seoul/items', '/v1/datasets/seoul/items', '/readyz']) await t.get(path)
  metrics.countStatement({ hasFailed: false, durationMs: 1 })
  metrics.countRequest({ method: 'GET', route: '/v1/datasets', status: 503, durationMs: 1, refusal: 'unread' })
  printed = await metrics.print()
})

test.each([
  ...ALERTS.map(({ alert, expr }) => [`the alert ${alert}`, expr]),
  ...PANELS.flatMap(({ title, targets }) => targets.map(({ expr }) => [`the panel "${title}"`, expr])),
])('%s asks for metrics that the gateway has', (_, expression) => {
  const asked = metricsOf(expression)
  expect(asked.length).toBeGreaterThan(0)
  for (const name of asked) {
    if (!OF_PROMETHEUS.includes(name)) expect(printed).toMatch(new RegExp(`^${name}[ {]`, 'm'))
  }
})

test('alerts and panels read the metrics of no other job, and a panel shows why requests are refused', () => {
  const expressions = [...ALERTS, ...PANELS.flatMap(({ targets }) => targets)].map(({ expr }) => expr)
  for (const expression of expressions) {
    const selectors = metricsOf(expression).flatMap((name) => [
      ...expression.matchAll(new RegExp(`\\b${name}\\b(.{0,15})`, 'g')),
    ])
    for (const [, labels] of selectors)
      expect([expression, labels]).toEqual([expression, expect.stringMatching(/^\{job="catalog"/)])
  }
  expect(expressions).toContainEqual(expect.stringContaining('sum by (reason) (rate(requests_refused_total'))
})

const page = readFileSync(new URL('../../docs/monitoring.md', import.meta.url), 'utf8')

test('the page has every metric of the gateway', () => {
  const names = [...printed.matchAll(/^# HELP (\w+)/gm)].map(([, name = '']) => name)
  const own = names.filter((name) => !/^(process|nodejs)_/.test(name))
  expect(own.length).toBeGreaterThan(10)
  expect(own.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('the page names each alert, with what to do', () => {
  expect(ALERTS).toHaveLength(7)
  for (const { alert } of ALERTS) expect(page).toContain(`| \`${alert}\` |`)
})

test('a metric of a key or a dataset has at most 200 names, and one for the others', async () => {
  const many = openMetrics()
  for (let n = 0; n < 300; n += 1) {
    many.countUse({ key: { name: `key ${n}` }, dataset: undefined, items: 1, bytes: 10 })
  }
  const lines = (await many.print()).split('\n').filter((line) => line.startsWith('key_requests_total{'))
  expect(lines).toHaveLength(201)
  expect(lines).toContain('key_requests_total{key="(other)"} 100')
})

test('compose.yaml mounts each file of docs/monitoring', () => {
  const compose = readFileSync(new URL('../../compose.yaml', import.meta.url), 'utf8')
  const files = globSync('docs/monitoring/**/*.{yml,json}')
  expect(files).toHaveLength(5)
  for (const file of files) expect(compose).toContain(`./${file}:`)
})

test('before the database is ready a page is sent, and a refused request says why, in the log and the metrics', async () => {
  const metrics = openMetrics()
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })
  const app = createHttp({ corsOrigins: [], limits: readConfig({}).limits, log, metrics, readiness: new Readiness() })
  addRoute(app, { path: '/data', handler: () => {} })
  addRoute(app, { path: '/page', needsNoDatabase: true, handler: (_request, reply) => void reply.send('') })
  const url = await app.listen({ port: 0 })
  expect((await fetch(`${url}/data`)).status).toBe(503)
  expect((await fetch(`${url}/page`)).status).toBe(200)
  await app.close()
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ route: '/data', status: 503, refusal: 'starting' }),
  )
  expect(await metrics.print()).toContain('requests_refused_total{reason="starting"} 1\n')
})

import type pg from 'pg'

/** A statement, and the number of rows that the nodes of its plan read and make, also those that they drop. */
export interface Work {
  statement: string
  rows: number
}

interface PlanNode {
  [property: string]: unknown
  Plans?: PlanNode[]
}

const ROWS = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Join Filter', 'Rows Removed by Index Recheck']

function rowsOf(node: PlanNode): number {
  const own = ROWS.reduce((sum, name) => sum + Number(node[name] ?? 0), 0) * Number(node['Actual Loops'])
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), own)
}

const hasPlan = (text: string) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text)

/** Returns the session with a `query` that runs each statement twice: first to measure it, which is rolled back. It adds to `works`. */
export function measureSession(session: pg.Client, works: Work[]): pg.Client {
  let inTransaction = false
  const measure = async (statement: string, values: unknown[] | undefined) => {
    const explain = `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${statement}`
    await session.query(inTransaction ? 'SAVEPOINT work' : 'BEGIN')
    const { rows } = await session.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(explain, values)
    await session.query(inTransaction ? 'ROLLBACK TO SAVEPOINT work' : 'ROLLBACK')
    works.push(...rows.flatMap((row) => row['QUERY PLAN'].map(({ Plan }) => ({ statement, rows: rowsOf(Plan) }))))
  }
  const query = async (text: string, values?: unknown[]) => {
    if (/^(BEGIN|COMMIT|ROLLBACK)$/.test(text)) inTransaction = text === 'BEGIN'
    if (hasPlan(text)) await measure(text, values)
    return session.query(text, values)
  }
  return new Proxy(session, {
    get: (target, name) => {
      if (name === 'query') return query
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

import { expect, test } from 'vitest'
import { EXAMPLES } from '../../src/api/pages/pages.ts'
import { useApp } from '../support/app.ts'

const t = useApp({ data: 'sample' })

test.each(EXAMPLES.map((example) => [example.split('\n')[0], example]))(
  "GraphiQL's example finds something in the sample data: %s",
  async (_first, example) => {
    const { body } = await t.graphql(example ?? '')
    expect(body.errors).toBeUndefined()
    expect(JSON.stringify(body.data)).toMatch(/"name":"[^"]+"/)
  },
)

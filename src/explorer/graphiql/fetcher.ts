import { readError, send } from '../shared/api.ts'
import { onKeyChange, readKey } from '../shared/key.ts'
import { askForKey } from '../shared/key-field.ts'

/*
 * Sends GraphiQL's operations, with the key of the tab or with the Authorization header of GraphiQL's header editor.
 */

interface Operation {
  query: string
  operationName?: string | null
  variables?: object
}

/** Sends an operation of GraphiQL. It requests the schema when there is a key, and again after each refused key. */
export async function sendOperation(
  operation: Operation,
  { headers = {} }: { headers?: Record<string, string> } = {},
): Promise<object> {
  const isIntrospection = operation.operationName === 'IntrospectionQuery'
  for (;;) {
    const hasKey = readKey() !== undefined || Object.keys(headers).some((name) => /^authorization$/i.test(name))
    if (!hasKey && !isIntrospection) return refuse('Enter your API key above, then run this again.')
    if (hasKey) {
      const response = await post(operation, headers)
      if (response.status !== 401) return response.json()
      if (!isIntrospection) return refuse((await readError(response)).message)
    }
    await nextKey()
  }
}

function post(operation: Operation, headers: Record<string, string>): Promise<Response> {
  return send('/graphql', {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
    },
    body: JSON.stringify(operation),
  })
}

function refuse(message: string): object {
  askForKey(message)
  return { errors: [{ message }] }
}

function nextKey(): Promise<void> {
  return new Promise((resolve) => onKeyChange((key) => key !== undefined && resolve()))
}

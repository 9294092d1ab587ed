import { byId } from '../shared/dom.ts'
import { startKeyField } from '../shared/key-field.ts'
import { createFetcher } from './fetcher.ts'
import { createLink, readAddress } from './link.ts'
import { startTabs } from './tabs.ts'

/*
 * The GraphiQL page. Yoga's bundle defines two globals: YogaGraphiQL draws the page, MonacoEnvironment finds its editor's workers.
 */

declare global {
  var YogaGraphiQL: { renderYogaGraphiQL: (root: HTMLElement, props: object) => void }
  var MonacoEnvironment: { globalAPI: boolean; getWorkerUrl: (id: string, label: string) => string }
}

interface PageData {
  examples: string[]
  /** Variables of the examples, by operation name. */
  variables: Record<string, object>
}

document.title = 'GraphiQL · Dataset Catalog'
startKeyField()

const { examples, variables }: PageData = JSON.parse(byId('page-data', HTMLTemplateElement).content.textContent ?? '')
const libraries = new URL('../lib/graphiql/', import.meta.url).pathname
const workers: Readonly<Record<string, string>> = { editorWorkerService: 'editor', json: 'json', graphql: 'graphql' }
globalThis.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_id, label) => `${libraries}${workers[label] ?? 'editor'}.worker.js`,
}

const root = byId('graphiql', HTMLElement)
const { open, tabs } = startTabs(readAddress(), examples, variables)
const [first] = tabs
const link = createLink({ query: first?.query ?? '', variables: first?.variables ?? '', ...open })
globalThis.YogaGraphiQL.renderYogaGraphiQL(root, {
  title: ' ',
  logo: ' ',
  fetcher: createFetcher(),
  defaultTabs: tabs,
  ...open,
  defaultEditorToolsVisibility: 'variables',
  // Without this, Yoga shows its query builder instead of the history.
  plugins: undefined,
  shouldPersistHeaders: false,
  showPersistHeadersSettings: false,
  ...link.handlers,
})
byId('page-tools', HTMLElement).append(link.copyButton)

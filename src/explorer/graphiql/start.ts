import { render } from 'preact'
import { byId } from '../shared/element.ts'
import { onKeyChange, readKey } from '../shared/key.ts'
import { startShell } from '../shared/shell.tsx'
import { sendOperation } from './fetcher.ts'
import { createLink, readAddress, startTabs } from './link.tsx'
import { focusEditor, mendTabs } from './mend.ts'

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
startShell()

const { examples, variables }: PageData = JSON.parse(byId('page-data', HTMLTemplateElement).content.textContent ?? '')
const libraries = new URL('../lib/graphiql/', import.meta.url).pathname
const workers: Readonly<Record<string, string>> = { editorWorkerService: 'editor', json: 'json', graphql: 'graphql' }
globalThis.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_id, label) => `${libraries}${workers[label] ?? 'editor'}.worker.js`,
}

const root = byId('graphiql', HTMLElement)
mendTabs(root)
focusEditor(root)
const note = byId('graphiql-note', HTMLElement)
note.hidden = readKey() !== undefined
onKeyChange((key) => {
  note.hidden = key !== undefined
})
const { open, tabs } = startTabs(readAddress(), examples, variables)
const [first] = tabs
const link = createLink({ query: first?.query ?? '', variables: first?.variables ?? '', ...open })
globalThis.YogaGraphiQL.renderYogaGraphiQL(root, {
  title: ' ',
  logo: ' ',
  fetcher: sendOperation,
  defaultTabs: tabs,
  ...open,
  defaultEditorToolsVisibility: 'variables',
  // Without this, Yoga shows its query builder instead of the history.
  plugins: undefined,
  shouldPersistHeaders: false,
  showPersistHeadersSettings: false,
  ...link.handlers,
})
render(link.copyButton, byId('page-tools', HTMLElement))

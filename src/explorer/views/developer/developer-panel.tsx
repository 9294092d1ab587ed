import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { View } from '../../data/address.ts'
import { Code, copy, SayingButton } from '../../shared/button.tsx'
import { readKey } from '../../shared/key.ts'
import { SERVER } from '../../shared/server.ts'
import { t } from '../../shared/text.ts'
import { requestOf } from '../request.ts'
import { embedFrame, embedKeyCommand, embedPage } from './embed-page.ts'
import { formsOf, graphiqlPath } from './request-forms.ts'

/*
 * "For developers": the request for the current view, as text to copy, and what else only a developer asks for. The copied text contains
 * the key; the screen hides it.
 */

const HIDDEN_KEY = 'dck_…'
/** The forms that are a map on a page. Their key is one for web pages, so they never have that of the explorer. */
const EMBEDDED: Readonly<Record<string, (view: View, server: string) => string>> = {
  iframe: embedFrame,
  MapLibre: embedPage,
}
/** They stay from one view to the next. */
let chosenForm = 'curl'
let isOpen = false
let showEmbedded: (() => void) | undefined

/** The panel of a view. The children follow the request. */
export function DeveloperPanel({ view, children }: { view: View; children?: ComponentChildren }) {
  const request = requestOf(view)
  const embedded = isEmbeddable(view)
    ? Object.entries(EMBEDDED).map(([form, write]) => [form, write(view, SERVER)])
    : []
  const formsWith = (key: string): Record<string, string> => ({
    ...formsOf(request, SERVER, key),
    ...Object.fromEntries(embedded),
  })
  const shown = formsWith(HIDDEN_KEY)
  const [wanted, want] = useState(chosenForm)
  const form = wanted in shown ? wanted : 'curl'
  chosenForm = form
  const [isShown, show] = useState(isOpen)
  showEmbedded = () => {
    show(true)
    want('iframe')
  }
  return (
    <details
      class="request"
      open={isShown}
      onToggle={({ currentTarget }) => {
        // It is at the foot of the list: without this, a person opens it and sees nothing.
        if (currentTarget.open && !isOpen) currentTarget.scrollIntoView({ block: 'nearest' })
        isOpen = currentTarget.open
        show(isOpen)
      }}
    >
      <summary>{t.developers}</summary>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has no row of buttons */}
      <div class="choices" role="group" aria-label={t.requestForm}>
        {Object.keys(shown).map((each) => (
          <button key={each} type="button" aria-pressed={each === form} data-form={each} onClick={() => want(each)}>
            {each}
          </button>
        ))}
      </div>
      <p class="soft small" hidden={!(form in EMBEDDED)}>
        {t.embedNote}
        <br />
        <code>{embedKeyCommand(view)}</code>
      </p>
      <Code>{shown[form]}</Code>
      <p class="actions">
        <SayingButton
          class="button primary"
          title={t.copyTitle}
          label={t.copy}
          act={(say) => copy(formsWith(readKey() ?? HIDDEN_KEY)[form] ?? '', say)}
        />
        <a class="button" href={SERVER + graphiqlPath(request)}>
          {t.openGraphiql}
        </a>
      </p>
      {children}
    </details>
  )
}

/** Whether a page with a map can show the places of a view: those of one dataset. */
function isEmbeddable({ dataset, item, isAbout }: View): boolean {
  return dataset !== undefined && item === undefined && isAbout === undefined
}

/** The button that opens the panel with a frame that has the places on a map. */
export function EmbedButton({ view }: { view: View }) {
  if (!isEmbeddable(view)) return null
  const open = () => {
    showEmbedded?.()
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-form="iframe"]')?.focus())
  }
  return (
    <button type="button" class="button share" onClick={open}>
      {t.embed}
    </button>
  )
}

import { useLayoutEffect, useRef } from 'preact/hooks'
import { hasPlaces, type View } from '../../data/address.ts'
import { Code, copy, SayingButton } from '../../shared/button.tsx'
import { byId } from '../../shared/element.ts'
import { TextLink } from '../../shared/members.tsx'
import { readPageData } from '../../shared/page-data.ts'
import { SERVER } from '../../shared/server.ts'
import { t } from '../../shared/text.ts'

/** The view without a key: what a link shows, or what the page is for. */
export function WelcomeView({ view }: { view: View }) {
  const isLink = hasPlaces(view) || view.item !== undefined
  const command = `curl -H "Authorization: Bearer <API_KEY>" ${SERVER}/v1/datasets`
  const { contact } = readPageData()
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname)
  return (
    <div class="view welcome">
      <h1>{isLink ? t.linkNeedsKey : t.welcome}</h1>
      <p>{isLink ? t.linkNeedsKeyText : t.welcomeText}</p>
      <KeySlot />
      <h2>{t.noKey}</h2>
      <p>{contact === undefined ? t.askAnybody : [t.askFor, <TextLink key="contact" text={contact} />]}</p>
      {isHere && <p>{t.startPrintedLink}</p>}
      <ForOperators dataset={view.dataset} />
      <details>
        <summary>{t.withoutPage}</summary>
        <Code>{command}</Code>
        <p class="actions">
          <SayingButton class="button" label={t.copy} act={(say) => copy(command, say)} />
        </p>
        <ul class="links">
          <Link path="/graphql" name="GraphiQL" text={t.aboutGraphiql} />
          <Link path="/docs" name={t.reference} text={t.aboutReference} />
          <Link path="/openapi.json" name="OpenAPI 3.1" text={t.aboutOpenapi} />
          <Link path="/readyz" name={t.health} text={t.aboutHealth} />
        </ul>
      </details>
    </div>
  )
}

/** The commands of whoever runs the server, folded. */
function ForOperators({ dataset }: { dataset: string | undefined }) {
  const grant = dataset !== undefined && /^[\w.~-]+$/.test(dataset) ? ` --dataset ${dataset}` : ''
  return (
    <details>
      <summary>{t.iOperate}</summary>
      <p>{t.operatorMakesOne}</p>
      <Code>{`npx dataset-catalog keys create --name NAME${grant}`}</Code>
      <p>{t.operatorOpensPage}</p>
      <Code>PUBLIC_KEY=dck_... npx dataset-catalog serve</Code>
    </details>
  )
}

function Link({ path, name, text }: { path: string; name: string; text: string }) {
  return (
    <li>
      <a href={SERVER + path}>{name}</a>
      <span> {text}</span>
    </li>
  )
}

/** The field for the key, which stands in the text while there is no key, and else in the bar. */
function KeySlot() {
  const slot = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const form = byId('key-form', HTMLFormElement)
    const status = byId('key-status', HTMLElement)
    const known = byId('key-known', HTMLElement)
    slot.current?.append(form, status)
    form.querySelector('input')?.focus()
    return () => {
      known.before(form)
      known.after(status)
    }
  }, [])
  return <div class="key-slot" ref={slot} />
}

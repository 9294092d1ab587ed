import { MAX_LINK_LENGTH } from '../rest/envelope.ts'
import { FORMS, type Form, type Forms } from './media-types.ts'

/** A link (OGC 17-069r4, section 7.1.1; RFC 8288). */
export interface Link {
  href: string
  rel: string
  type: string
  title?: string
}

/** A link to a document of a media type. */
export const linkTo = (href: string, rel: string, type: string, title: string): Link => ({ href, rel, type, title })

/**
 * Links as the value of the `Link` header (RFC 8288); undefined if long parameters would make it too long for clients. The body has the
 * links in any case, and their titles, because headers contain only ASCII.
 */
export function linkHeader(links: readonly Link[]): string | undefined {
  const header = links
    .map(({ href, rel, type }) => `<${href}>; rel="${rel}"; type="${type.replaceAll('"', '')}"`)
    .join(', ')
  return header.length <= MAX_LINK_LENGTH ? header : undefined
}

/** The addresses of a request: of the landing page, and of the request itself; and the form of the response, of those that there are. */
export interface Addresses {
  base: string
  self: string
  form: Form
  forms: Forms
}

/** The links of a document to itself, and to its other forms (OGC 17-069r4, requirement /req/core/fc-links). */
export function ownLinks({ self, form, forms }: Omit<Addresses, 'base'>, title = 'This document'): Link[] {
  const others = forms.filter((other) => other !== form)
  return [
    linkTo(self, 'self', FORMS[form], title),
    ...others.map((other) =>
      linkTo(withParameter(self, 'f', other), 'alternate', FORMS[other], `${title} as ${FORMS[other]}`),
    ),
  ]
}

/** The address of the request with another value of a parameter, or with one more, and without others. */
export function withParameter(url: string, name: string, value: string, without: readonly string[] = []): string {
  const other = new URL(url)
  for (const absent of without) other.searchParams.delete(absent)
  other.searchParams.set(name, value)
  return other.href
}

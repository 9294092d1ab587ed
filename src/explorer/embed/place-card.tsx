import { type ComponentChildren, render } from 'preact'
import type { ListedItem } from '../data/datasets.ts'
import { MemberList, TextLink } from '../shared/members.tsx'
import { fill, places, t } from '../shared/text.ts'
import { addressOf } from '../views/item/item-facts.tsx'
import type { Item } from '../views/item/request.ts'
import { PictureFigure } from '../views/picture.tsx'

/*
 * The card of a place in a frame. It lies on the map, because a bubble at the place would not fit into a small frame.
 */

export class PlaceCard {
  readonly #card: HTMLElement
  readonly #onClose: () => void

  constructor(card: HTMLElement, onClose: () => void) {
    this.#card = card
    this.#onClose = onClose
    card.addEventListener('keydown', ({ key }) => key === 'Escape' && this.close())
  }

  showPlace(item: Item, category: string): void {
    const picture = item.images.find(({ isPrimary }) => isPrimary) ?? item.images[0]
    this.#show(
      item.name,
      <div key={item.id}>
        <MemberList
          members={[
            [t.category, category],
            [t.address, addressOf(item)],
            [t.openingHours, item.openingHours],
            [t.telephone, item.telephone],
            [t.website, item.url && <TextLink text={item.url} />],
          ]}
        />
        {picture && (
          <div class="pictures">
            <PictureFigure picture={picture} />
          </div>
        )}
      </div>,
    )
  }

  showList(items: readonly ListedItem[], total: number, open: (id: string) => void): void {
    const rest = total - items.length
    this.#show(
      places(total),
      <ul>
        {items.map(({ id, name }) => (
          <li key={id}>
            <button type="button" class="link" dir="auto" onClick={() => open(id)}>
              {name}
            </button>
          </li>
        ))}
        {rest > 0 && <li>{fill(t.andMore, { rest })}</li>}
      </ul>,
    )
  }

  showProblem(message: string): void {
    this.#show(t.problem, <p role="alert">{message}</p>)
  }

  /** Without the focus it was closed by a click on the map, which has the focus then. */
  close(): void {
    if (this.#card.hidden) return
    const hadFocus = this.#card.contains(document.activeElement)
    this.#card.hidden = true
    render(null, this.#card)
    this.#onClose()
    if (hadFocus) document.querySelector<HTMLElement>('.maplibregl-canvas')?.focus()
  }

  /** The card gets the focus, so that a screen reader reads it. */
  #show(title: string, content: ComponentChildren): void {
    render(
      <>
        <button type="button" class="close" aria-label={t.close} onClick={() => this.close()}>
          ×
        </button>
        <h1 id="card-title" dir="auto">
          {title}
        </h1>
        {content}
      </>,
      this.#card,
    )
    this.#card.hidden = false
    this.#card.scrollTop = 0
    this.#card.focus()
  }
}

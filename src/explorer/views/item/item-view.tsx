import { hasPlaces, type View } from '../../data/address.ts'
import { fill, t } from '../../shared/text.ts'
import { BackLine, usePage, ViewLink, Words } from '../context.tsx'
import { DeveloperPanel } from '../developer/developer-panel.tsx'
import { PictureFigure } from '../picture.tsx'
import { Attributes, FoldedMembers, ItemFacts } from './item-facts.tsx'
import type { Item } from './request.ts'

/** The page of one item. The view without the item is the view to go back to. */
export function ItemView({ item }: { item: Item }) {
  const { view } = usePage()
  const before = { ...view, item: undefined, at: undefined }
  // The list of a search or a circle in all datasets; without one, as in a link to the item only, the item's dataset.
  const isOfAll = view.dataset === undefined && hasPlaces(before)
  const list = isOfAll ? before : { ...before, dataset: view.dataset ?? item.dataset.slug }
  const listName = view.compared ? t.compared : isOfAll ? t.allDatasetsTitle : item.dataset.name
  const images = [...item.images].sort((left, right) => Number(right.isPrimary) - Number(left.isPrimary))
  return (
    <article class="view">
      <BackLine
        to={list}
        label={
          <>
            {'← '}
            <bdi>{listName}</bdi>
          </>
        }
      />
      <h1 tabIndex={-1} dir="auto">
        <Words text={item.name} />
      </h1>
      {images.length > 0 && (
        <div class="pictures">
          {images.map((picture) => (
            <PictureFigure key={picture.originalUrl} picture={picture} />
          ))}
        </div>
      )}
      <p dir="auto">{item.description}</p>
      <ItemFacts item={item} hasDataset={isOfAll} />
      <Relatives item={item} view={view} />
      <Attributes item={item} />
      <p class="soft small" dir="auto">
        {item.dataset.attribution}
      </p>
      <DeveloperPanel view={view}>
        <FoldedMembers item={item} />
      </DeveloperPanel>
    </article>
  )
}

function Relatives({ item: { parent, children }, view }: { item: Item; view: View }) {
  if (!parent && children.total === 0) return null
  const link = ({ id, name }: { id: string; name: string }) => (
    <ViewLink to={{ ...view, item: id, at: undefined }}>
      <Words text={name} />
    </ViewLink>
  )
  const rest = children.total - children.nodes.length
  return (
    <section>
      {parent && (
        <p>
          {t.partOf}: {link(parent)}
        </p>
      )}
      {children.total > 0 && (
        <>
          <h2>{t.parts}</h2>
          <ul class="parts">
            {children.nodes.map((child) => (
              <li key={child.id}>{link(child)}</li>
            ))}
          </ul>
        </>
      )}
      {rest > 0 && <p class="soft">{fill(t.andMore, { rest })}</p>}
    </section>
  )
}

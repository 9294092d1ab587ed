import { formatAddress, parseAddress, type View } from '../data/address.ts'
import { ApiError, messageOf } from '../shared/api-error.ts'
import { t } from '../shared/text.ts'
import { ViewLink } from './context.tsx'

/** The view with the message for an error; with a button to try again where that may be of use. */
export function Problem({ error, retry }: { error: unknown; retry: () => void }) {
  const isFinal = error instanceof ApiError && error.status < 500
  return (
    <div class="view">
      <h1>{t.problem}</h1>
      <div class="problem" role="alert">
        <Reason
          error={error}
          viewOf={(dataset) => ({ ...parseAddress(location.search), compared: undefined, dataset })}
        />
        {isFinal ? (
          <a class="button" href={formatAddress({})} data-view>
            {t.allDatasetsTitle}
          </a>
        ) : (
          <button type="button" class="button" onClick={retry}>
            {t.tryAgain}
          </button>
        )}
      </div>
    </div>
  )
}

/** Says why, with a link to `viewOf` the dataset with the nearest slug, if the error names one. */
export function Reason({ error, viewOf }: { error: unknown; viewOf: (dataset: string) => View }) {
  const [, dataset] = /; the nearest one is (.+)$/.exec(error instanceof ApiError ? error.message : '') ?? []
  if (dataset === undefined) return <p>{messageOf(error)}</p>
  return (
    <p>
      {messageOf(error)} {t.didYouMean} <ViewLink to={viewOf(dataset)}>{dataset}</ViewLink>?
    </p>
  )
}

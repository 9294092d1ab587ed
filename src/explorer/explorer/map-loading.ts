import { AJAXError, type Map as MapView } from 'maplibre-gl'
import { ApiError } from '../shared/api.ts'
import { patiently } from '../shared/patience.ts'

/*
 * What the map loads: a line at its edge while it does, and another try for tiles that a busy server did not give.
 */

/** Watches the map. `isOwn` tells the sources of this server; `onProblem` hears of what is not tried again. */
export function watchLoading(map: MapView, isOwn: (source: string) => boolean, onProblem: () => void): void {
  const area = map.getContainer()
  map.on('dataloading', () => area.setAttribute('data-loading', ''))
  map.on('idle', () => area.removeAttribute('data-loading'))

  let failed: ApiError | undefined
  let isRetrying = false
  /** Reloads the tiles; throws again what stopped them. */
  const reload = async () => {
    failed = undefined
    for (const source of Object.keys(map.getStyle().sources).filter(isOwn)) map.refreshTiles(source)
    await map.once('idle')
    if (failed) throw failed
  }
  map.on('error', ({ error }) => {
    const isTile = error instanceof AJAXError && error.url.startsWith(`${location.origin}/tiles/`)
    const problem = isTile ? new ApiError(error.status, 'TILE', error.message) : undefined
    if (!problem?.isTransient) return onProblem()
    failed = problem
    if (isRetrying) return
    isRetrying = true
    let tries = 0
    void patiently(() => (tries++ === 0 ? Promise.reject(problem) : reload()))
      .catch(onProblem)
      .finally(() => {
        isRetrying = false
      })
  })
}

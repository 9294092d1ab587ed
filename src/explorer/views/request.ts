import { hasPlaces, type View } from '../data/address.ts'
import type { ApiRequest } from '../data/api-request.ts'
import { aboutRequest } from './about/request.ts'
import { compareRequest } from './compare/request.ts'
import { datasetsRequest } from './datasets/request.ts'
import { itemRequest } from './item/request.ts'
import { placesRequest } from './places/request.ts'

/** Returns the request for the data of a view. The page sends it, and shows it to be copied. */
export function requestOf(view: View): ApiRequest {
  if (view.item !== undefined) return itemRequest(view.item)
  if (view.isAbout && view.dataset !== undefined) return aboutRequest(view.dataset)
  if (view.compared) return compareRequest(view, view.compared)
  return hasPlaces(view) ? placesRequest(view) : datasetsRequest()
}

import type { ListedItem } from '../../data/datasets.ts'
import { runGraphQL } from '../../shared/api.ts'

/*
 * A point for a nearby search, typed as a coordinate or as the name of a place.
 */

export interface Point {
  latitude: number
  longitude: number
  /** The name of the place there, if a name was typed. */
  name?: string
}

/** Parses `latitude, longitude` in decimal degrees, undefined if the text is something else. */
export function parseCoordinate(text: string): Point | undefined {
  const match = /^\s*([+-]?\d+(?:\.\d+)?)[\s,;]+([+-]?\d+(?:\.\d+)?)\s*$/.exec(text)
  const [latitude, longitude] = (match ?? []).slice(1).map(Number)
  if (latitude === undefined || longitude === undefined) return undefined
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : undefined
}

type FoundPlace = Pick<ListedItem, 'name' | 'latitude' | 'longitude'>

/** Finds the first place of a search by name or, if there is none, the one that was probably meant. */
export async function findPlace(text: string): Promise<Point | undefined> {
  const data = await runGraphQL<{ searchItems: { nodes: FoundPlace[] }; suggestItems: FoundPlace[] }>(
    `query Place($text: String!) {
  searchItems(text: $text, limit: 1) { nodes { name latitude longitude } }
  suggestItems(text: $text, limit: 1) { name latitude longitude }
}`,
    { text },
  )
  const [place] = [...data.searchItems.nodes, ...data.suggestItems]
  return place && { name: place.name, latitude: Number(place.latitude), longitude: Number(place.longitude) }
}

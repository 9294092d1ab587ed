/** A place as it would be stored, with the number of its row. */
export interface StoredPlace {
  row: number
  name: string
  latitude: string
  longitude: string
}

/** So many places are kept. When they are more, every second one goes. */
const MAX_KEPT = 2_048

/** The first, the middle and the last place of any number of rows. The middle is exact by a thousandth of the rows. */
export class Places {
  readonly #first: StoredPlace[] = []
  #kept: StoredPlace[] = []
  #step = 1
  #last: StoredPlace | undefined

  add(row: number, { name, latitude, longitude }: Omit<StoredPlace, 'row'>): void {
    const place = { row, name, latitude, longitude }
    if (this.#last === undefined) this.#first.push(place)
    this.#last = place
    if (row % this.#step === 0) this.#kept.push(place)
    if (this.#kept.length < MAX_KEPT) return
    this.#step *= 2
    this.#kept = this.#kept.filter((kept) => kept.row % this.#step === 0)
  }

  get three(): StoredPlace[] {
    const last = this.#last
    if (!last) return []
    const middle = Math.ceil(last.row / 2)
    const nearest = this.#kept.reduce<StoredPlace | undefined>(
      (best, place) => (best && Math.abs(best.row - middle) <= Math.abs(place.row - middle) ? best : place),
      undefined,
    )
    const three = [...new Set([...this.#first, ...(nearest ? [nearest] : []), last])]
    return three.map((place) => ({ ...place, latitude: rounded(place.latitude), longitude: rounded(place.longitude) }))
  }
}

/** Coordinates are stored with so many decimals. */
const DECIMALS = 7

function rounded(coordinate: string): string {
  return String(Number(Number(coordinate).toFixed(DECIMALS)))
}

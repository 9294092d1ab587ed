/** A place as it would be stored, with the number of its row. */
export interface StoredPlace {
  row: number
  name: string
  latitude: string
  longitude: string
}

/** At most this number of places is kept. When there are more, every second one goes. */
const MAX_KEPT = 2_048

/** The first, the middle and the last place of any number of rows. The middle is exact by a thousandth of the rows. */
export class Places {
  #first: StoredPlace | undefined
  #kept: StoredPlace[] = []
  #step = 1
  #last: StoredPlace | undefined

  add(row: number, { name, latitude, longitude }: Omit<StoredPlace, 'row'>): void {
    const place = { row, name, latitude, longitude }
    this.#first ??= place
    this.#last = place
    if (row % this.#step === 0) this.#kept.push(place)
    if (this.#kept.length < MAX_KEPT) return
    this.#step *= 2
    this.#kept = this.#kept.filter((kept) => kept.row % this.#step === 0)
  }

  get three(): StoredPlace[] {
    const middle = Math.ceil((this.#last?.row ?? 0) / 2)
    const distance = ({ row }: StoredPlace) => Math.abs(row - middle)
    const [nearest] = this.#kept.toSorted((one, other) => distance(one) - distance(other))
    const three = new Set([this.#first, nearest, this.#last].filter((place) => place !== undefined))
    return [...three]
  }
}

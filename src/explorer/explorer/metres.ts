/** A distance for people: `46 m`, `1.24 km`. */
export function metres(distance: number): string {
  if (distance < 1000) return `${Number(distance.toFixed(distance < 10 ? 1 : 0))} m`
  return `${Number((distance / 1000).toFixed(2))} km`
}

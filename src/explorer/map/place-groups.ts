/*
 * The dots of the tiles as the map draws them: those that would overlap are one, with the sum of their items.
 */

/** A dot of a tile: an item, or a cluster of several. Positions are shares of the world's square, from 0 (west, north) to 1. */
export interface Dot {
  x: number
  y: number
  total: number
  /** The number of items by category or dataset. */
  shares: Readonly<Record<string, number>>
  /** The item, if the dot is one. */
  item?: { id: string; name: string; categoryCode: string; datasetId: string } | undefined
}

/** One or more dots, at the position of the greatest. */
export interface Group extends Dot {
  /** How far the dots are from the first, at most, as a share of the world. A cluster of a tile counts as far. */
  spread: number
}

/** The radius of a circle by the digits of its number, in pixels. Dots of single places may touch: their edges tell them apart. */
const RADII = [4, 10, 12, 15, 20, 23, 27, 32]
const GAP = 1
/** At least the diameter of the greatest circle, so that only neighbours can overlap. */
const CELL = 72

/** The radius of a circle whose number has room, in pixels. */
export function radiusOf(total: number): number {
  return RADII[total === 1 ? 0 : Math.min(RADII.length - 1, String(total).length)] ?? 0
}

/** Joins dots whose circles would overlap on a world of this width in pixels. The greatest keeps its place. */
export function groupDots(dots: readonly Dot[], worldPixels: number): Group[] {
  let groups: Group[] = dots.map((dot) => ({ ...dot, spread: dot.item ? 0 : 1 }))
  for (;;) {
    const joined = joinOverlapping(groups, worldPixels)
    if (joined.length === groups.length) return joined
    // A greater circle may overlap others.
    groups = joined
  }
}

function joinOverlapping(groups: readonly Group[], worldPixels: number): Group[] {
  const cells = new Map<string, Group[]>()
  const kept: Group[] = []
  const cellOf = ({ x, y }: Dot) =>
    [Math.floor((x * worldPixels) / CELL), Math.floor((y * worldPixels) / CELL)] as const
  for (const group of groups.toSorted((left, right) => right.total - left.total)) {
    const [column, row] = cellOf(group)
    const near = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].flatMap((dy) => cells.get(`${column + dx} ${row + dy}`) ?? []))
    const over = near.find(
      (other) => distance(group, other) * worldPixels < radiusOf(group.total) + radiusOf(other.total) + GAP,
    )
    if (over) join(over, group)
    else {
      const own = { ...group, shares: { ...group.shares } }
      kept.push(own)
      const cell = `${column} ${row}`
      cells.set(cell, [...(cells.get(cell) ?? []), own])
    }
  }
  return kept
}

function join(group: Group, other: Group): void {
  group.spread = Math.max(group.spread, distance(group, other) + other.spread)
  group.total += other.total
  group.item = undefined
  const sums: Record<string, number> = { ...group.shares }
  for (const [value, n] of Object.entries(other.shares)) sums[value] = (sums[value] ?? 0) + n
  group.shares = sums
}

function distance(left: Dot, right: Dot): number {
  return Math.hypot(left.x - right.x, left.y - right.y)
}

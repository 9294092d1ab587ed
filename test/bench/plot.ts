/** A line of a plot: its name, and points from left to right. */
export interface Line {
  name: string
  points: [x: number, y: number][]
}

const WIDTH = 760
const HEIGHT = 400
const MARGIN = { left: 64, right: 230, top: 24, bottom: 48 }
const COLOURS = ['#1b6ca8', '#d1495b', '#2e933c', '#8d5a97', '#e08e0b', '#2a9d8f', '#6c757d', '#000000']

/** Draws lines over two logarithmic axes. It returns an SVG document. */
export function plot(lines: readonly Line[], axes: { x: string; y: string }): string {
  const points = lines.flatMap((line) => line.points)
  const x = scale(
    points.map(([value]) => value),
    [MARGIN.left, WIDTH - MARGIN.right],
  )
  const y = scale(
    points.map(([, value]) => value),
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  )
  // The legend has a row for each line, in the order of the lines' right ends.
  const byEnd = [...lines].sort((a, b) => (b.points.at(-1)?.[1] ?? 0) - (a.points.at(-1)?.[1] ?? 0))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<title>${axes.y} by ${axes.x}</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${x.ticks.map((tick) => `<path d="M${x.at(tick)} ${MARGIN.top}V${HEIGHT - MARGIN.bottom}" stroke="#ddd"/><text x="${x.at(tick)}" y="${HEIGHT - MARGIN.bottom + 18}" text-anchor="middle">${tick.toLocaleString('en')}</text>`).join('\n')}
${y.ticks.map((tick) => `<path d="M${MARGIN.left} ${y.at(tick)}H${WIDTH - MARGIN.right}" stroke="#ddd"/><text x="${MARGIN.left - 6}" y="${y.at(tick) + 4}" text-anchor="end">${tick}</text>`).join('\n')}
<text x="${(MARGIN.left + WIDTH - MARGIN.right) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${axes.x}</text>
<text transform="translate(16 ${HEIGHT / 2}) rotate(-90)" text-anchor="middle">${axes.y}</text>
${byEnd
  .map(({ name, points }, place) => {
    const colour = COLOURS[place % COLOURS.length]
    const path = points.map(([px, py]) => `${x.at(px)},${y.at(py)}`).join(' ')
    const row = MARGIN.top + 14 + place * 20
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>
<path d="M${WIDTH - MARGIN.right + 12} ${row - 4}h18" stroke="${colour}" stroke-width="2"/><text x="${WIDTH - MARGIN.right + 36}" y="${row}">${name}</text>`
  })
  .join('\n')}
</svg>
`
}

/** A logarithmic axis: its ticks are powers of ten around the values, and `at` gives the position of a value. */
function scale(values: readonly number[], [from, to]: [number, number]) {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  const ticks = Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n))
  const at = (value: number) => Math.round(from + ((Math.log10(value) - low) / (high - low)) * (to - from))
  return { ticks: ticks.map((tick) => Number(tick.toPrecision(1))), at }
}

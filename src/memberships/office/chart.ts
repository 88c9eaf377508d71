/** A line over time, as the markup of a picture; whoever cannot see it reads the table beside it. */
export interface Line {
  readonly path: string
  readonly area: string
  readonly width: number
  readonly height: number
  /** Where the scale says a number, from the top. */
  readonly ticks: readonly { readonly y: number; readonly value: number }[]
  readonly points: readonly { readonly x: number; readonly y: number; readonly value: number }[]
}

const width = 720
const height = 160
const padding = 10

/** Places values from left to right; the scale begins at 0 and ends at a round number. */
export const lineOf = (values: readonly number[]): Line => {
  const top = roundUp(Math.max(1, ...values))
  const x = (i: number) => round(padding + (i * (width - 2 * padding)) / Math.max(1, values.length - 1))
  const y = (value: number) => round(height - padding - (value * (height - 2 * padding)) / top)
  const points = values.map((value, i) => ({ x: x(i), y: y(value), value }))
  const path = points.map((p, i) => `${i === 0 ? 'M' : 'L'}${p.x} ${p.y}`).join(' ')
  const [first, last] = [points[0], points.at(-1)]
  const area = first && last ? `${path} L${last.x} ${height - padding} L${first.x} ${height - padding} Z` : ''
  return {
    path,
    area,
    width,
    height,
    points,
    ticks: [0, top / 2, top].map((value) => ({ y: y(value), value })),
  }
}

/** The next of 1, 2, 4, 10 times a power of ten. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 4, 10].map((step) => step * power).find((one) => one >= value)!
}

const round = (value: number): number => Math.round(value * 10) / 10

/** Charts as SVG, made here: lines over a span, and bars. A table beside each says the same in numbers. */
import { escaped } from './text.ts'

export interface Mark {
  /** What stands below it: a day, a quarter, an hour. */
  at: string
  value: number
}

interface Chart {
  /** What it shows, as a sentence. */
  title: string
  points: readonly Mark[]
  unit?: string
  kind: 'line' | 'bars'
}

const [width, height, left, right, top, bottom] = [640, 220, 64, 12, 12, 28]

/** The first and the last value of the scale: of bars from zero on. */
function scaleOf(values: readonly number[], kind: Chart['kind']): readonly [low: number, high: number] {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (kind === 'bars') return [Math.min(0, low), Math.max(0, high) || 1]
  const room = (high - low || Math.abs(high) || 1) * 0.08
  return [low - room, high + room]
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 5 })
const short = (value: number): string => compact.format(value)

export function chart({ title, points, unit = '', kind }: Chart): string {
  if (points.length < 2) return ''
  const [low, high] = scaleOf(
    points.map(({ value }) => value),
    kind,
  )
  const slot = (width - left - right) / points.length
  const x = (at: number) => left + slot * (at + 0.5)
  const y = (value: number) => top + ((high - value) / (high - low)) * (height - top - bottom)
  const round = (each: number) => Math.round(each * 10) / 10
  const ticks = [0, 0.5, 1].map(share => low + (high - low) * share)
  const axis = ticks.map(
    each =>
      `<path class="axis" d="M${left} ${round(y(each))}H${width - right}"/><text x="${left - 8}" y="${round(y(each)) + 4}" text-anchor="end">${short(each)}</text>`,
  )
  const step = Math.max(1, Math.ceil(points.length / 6))
  const labels = points.map(({ at }, i) =>
    i % step ? '' : `<text x="${round(x(i))}" y="${height - 8}" text-anchor="middle">${escaped(at)}</text>`,
  )
  const drawn = kind === 'line' ? lineOf(points, x, y) : barsOf(points, x, y, slot)
  return `<figure><svg class="chart" role="img" aria-label="${escaped(`${title}. ${wordsOf(points, unit)}`)}" viewBox="0 0 ${width} ${height}">${axis.join('')}${drawn}${labels.join('')}</svg><figcaption>${escaped(title)}</figcaption></figure>`
}

type Place = (of: number) => number

function lineOf(points: readonly Mark[], x: Place, y: Place): string {
  const path = points.map(({ value }, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`)
  const dots =
    points.length > 40
      ? []
      : points.map(
          ({ at, value }, i) =>
            `<circle class="dot" cx="${x(i).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3"><title>${escaped(at)}: ${value}</title></circle>`,
        )
  return `<path class="line" d="${path.join('')}"/>${dots.join('')}`
}

function barsOf(points: readonly Mark[], x: Place, y: Place, slot: number): string {
  const wide = Math.min(48, slot * 0.7)
  return points
    .map(({ at, value }, i) => {
      const [from, to] = [y(Math.max(0, value)), y(Math.min(0, value))]
      return `<rect class="${value < 0 ? 'gap' : 'bar'}" x="${(x(i) - wide / 2).toFixed(1)}" y="${from.toFixed(1)}" width="${wide.toFixed(1)}" height="${Math.max(1, to - from).toFixed(1)}" rx="2"><title>${escaped(at)}: ${value}</title></rect>`
    })
    .join('')
}

/** The chart in a sentence, for who does not see it. */
function wordsOf(points: readonly Mark[], unit: string): string {
  const [first, last] = [points[0], points.at(-1)]
  const values = points.map(({ value }) => value)
  const told = (value: number | undefined) => `${value}${unit && ` ${unit}`}`
  return `From ${told(first?.value)} at ${first?.at} to ${told(last?.value)} at ${last?.at}; lowest ${told(Math.min(...values))}, highest ${told(Math.max(...values))}.`
}

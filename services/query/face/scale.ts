/** Scales of drawings: round numbers beside an axis, and labels that do not meet. */
import { figure } from '../../offer/drawing.ts'

/** A number beyond this is an error of somebody, and would flatten all others. */
const mostDrawn = 1e30
export const isDrawn = (value: number): boolean => Number.isFinite(value) && Math.abs(value) < mostDrawn

/** Round numbers from below the lowest to above the highest value: four or five of them. */
export function ticksOf(low: number, high: number): number[] {
  const least = Math.max(Math.abs(low), Math.abs(high)) * 1e-9 || 1e-9
  const span = high - low > least ? high - low : Math.max(Math.abs(high), 1)
  const [from, to] = high - low > least ? [low, high] : [low - span / 2, high + span / 2]
  const rough = span / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find(each => each * power >= rough) ?? 10) * power
  const first = Math.floor(from / step + 1e-9)
  const last = Math.ceil(to / step - 1e-9)
  return Array.from({ length: Math.min(12, last - first + 1) }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  )
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 })

/** Short, as long as no two are alike. */
export function labelsOf(ticks: readonly number[]): string[] {
  const short = ticks.map(tick => compact.format(tick))
  return new Set(short).size === ticks.length ? short : ticks.map(figure)
}

/** A place in a drawing, to a tenth. */
export const at = (value: number): string => String(Math.round(value * 10) / 10)

/** The width of a text in a drawing, about, in a wide font: nothing leaves its picture. */
export const widthOf = (text: string): number => text.length * 10

/** The middle of a text that stays between two places, as near as may be to where it belongs. */
export function middleOf(text: string, wanted: number, from: number, to: number): number {
  const half = widthOf(text) / 2
  return Math.min(Math.max(wanted, from + half), to - half)
}

/** Every how-manieth label has room. */
export const labelStep = (labels: readonly string[], room: number): number => {
  const widest = Math.max(...labels.map(widthOf), 1) + 14
  return Math.max(1, Math.ceil(labels.length / Math.max(1, Math.floor(room / widest))))
}

/** Some of many, at even distances, with the first and the last. */
export function thinned<Each>(all: readonly Each[], most: number): Each[] {
  if (all.length <= most) return [...all]
  return Array.from({ length: most }, (_, i) => all[Math.round((i * (all.length - 1)) / (most - 1))] as Each)
}

/** Some of many in their order: the first, the last, and of each bucket between them the least and the greatest. */
export function outlined<Each>(all: readonly Each[], most: number, measure: (each: Each) => number): Each[] {
  if (all.length <= most) return [...all]
  const [between, buckets] = [all.length - 2, Math.floor(most / 2) - 1]
  const startOf = (bucket: number) => 1 + Math.floor((bucket * between) / buckets)
  const value = (i: number) => measure(all[i] as Each)
  const kept = new Set([0, all.length - 1])
  for (let bucket = 0; bucket < buckets; bucket++) {
    let [least, greatest] = [startOf(bucket), startOf(bucket)]
    for (let i = least; i < startOf(bucket + 1); i++) {
      if (value(i) < value(least)) least = i
      if (value(i) >= value(greatest)) greatest = i
    }
    kept.add(least).add(greatest)
  }
  return all.filter((_, i) => kept.has(i))
}

/** A text of a stranger that has one line of a bounded length. */
export function cut(text: string, most: number): string {
  const plain = text
    .slice(0, most * 4)
    .replaceAll(/[\p{Cc}\p{Cf}\s\uFFFE\uFFFF]+/gu, ' ')
    .toWellFormed()
    .trim()
  const letters = [...plain]
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : plain
}

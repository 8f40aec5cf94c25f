/** Rows with names: the largest first, spans of time, and steps of which each is made of the one before. */
import { type DrawnSpan, figure, type Mark, type Steps } from '../../offer/drawing.ts'
import { at, cut, middleOf, widthOf } from './scale.ts'
import { escaped } from './text.ts'

const width = 480
const rowHeight = 42
export const mostRows = 12

const opened = (height: number): string =>
  `<svg class="chart" role="img" viewBox="0 0 ${width} ${height}">%told%`

/** The name stands above its bar, so that a long one has room. */
export function rankedOf(marks: readonly Mark[], unit: string): string {
  const shown = marks.slice(0, mostRows)
  const highest = Math.max(...shown.map(({ value }) => Math.abs(value)), Number.MIN_VALUE)
  const rows = shown.map((mark, i) => {
    const y = i * rowHeight
    const told = `${figure(mark.value)}${unit && ` ${unit}`}`
    const name = cut(mark.at, Math.max(8, Math.floor((width - widthOf(told) - 24) / 10.4)))
    const long = Math.max(2, (Math.abs(mark.value) / highest) * width)
    return `<text class="name" x="0" y="${y + 16}">${escaped(name)}</text><text x="${width}" y="${y + 16}" text-anchor="end">${escaped(cut(told, 40))}</text><rect class="none" x="0" y="${y + 23}" width="${width}" height="8" rx="4"/><rect class="${mark.value < 0 ? 'gap' : mark.isOther ? 'bar other' : 'bar'}" x="0" y="${y + 23}" width="${at(long)}" height="8" rx="4"/>`
  })
  return `${opened(shown.length * rowHeight)}${rows.join('')}</svg>`
}

const hour = 3_600_000
const steps = [1, 2, 3, 6, 12, 24, 48, 168, 720, 8760].map(hours => hours * hour)

/** The hours below: as many as have room, each a whole one. */
function hoursOf(from: number, to: number): readonly (readonly [at: number, label: string])[] {
  const step = steps.find(each => (to - from) / each <= 4) ?? (to - from) / 4
  const first = Math.ceil(from / step) * step
  const isOfDays = step >= 24 * hour
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step)) + 1 }, (_, i) => {
    const moment = new Date(first + i * step).toISOString()
    return [
      first + i * step,
      isOfDays ? moment.slice(0, 10) : `${moment.slice(8, 10)}. ${moment.slice(11, 16)}`,
    ] as const
  }).filter(([each]) => each <= to)
}

export function spansOf(spans: readonly DrawnSpan[]): string {
  const shown = spans.slice(0, mostRows)
  const moments = shown.flatMap(({ from, to }) => [Date.parse(from), Date.parse(to)])
  const [first, last] = [Math.min(...moments), Math.max(...moments)]
  const whole = Math.max(last - first, hour)
  const x = (moment: number) => ((moment - first) / whole) * width
  const height = shown.length * rowHeight + 30
  const scale = hoursOf(first, first + whole).map(([moment, label]) => {
    const middle = middleOf(label, x(moment), 0, width)
    return `<path class="axis" d="M${at(x(moment))} 0V${height - 24}"/><text x="${at(middle)}" y="${height - 6}" text-anchor="middle">${escaped(label)}</text>`
  })
  const rows = shown.map(({ name, from, to, tone = 'warn' }, i) => {
    const y = i * rowHeight
    const [begins, ends] = [x(Date.parse(from)), x(Date.parse(to))]
    return `<text class="name" x="0" y="${y + 16}">${escaped(cut(name, 46))}</text><rect class="span ${tone}" x="${at(begins)}" y="${y + 23}" width="${at(Math.max(3, ends - begins))}" height="10" rx="4"/>`
  })
  return `${opened(height)}${scale.join('')}${rows.join('')}</svg>`
}

export const mostSteps = 70

/** From below to above: what comes from beside joins where the lines meet. */
export function stepsOf(all: Steps['steps']): string {
  const shown = all.slice(0, mostSteps)
  const tall = 52
  const rows = shown.map(({ name, value, beside }, i) => {
    const y = i * tall
    const joined =
      beside === undefined
        ? ''
        : `<path class="line second" d="M40 ${y - 10}H12V${y + 4}"/><text class="code" x="46" y="${y - 5}">+ ${escaped(cut(beside, 30))}</text>`
    const line = i ? `<path class="line" d="M12 ${y - tall + 22}V${y + 6}"/>` : ''
    return `${line}${joined}<circle class="dot" cx="12" cy="${y + 14}" r="7"/><text class="name" x="30" y="${y + 14}">${escaped(cut(name, 42))}</text><text class="code" x="30" y="${y + 31}">${escaped(cut(value, 52))}</text>`
  })
  return `${opened(shown.length * tall)}${rows.join('')}</svg>`
}

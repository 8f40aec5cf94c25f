/** Lines over time, bars, and curves over numbers, as SVG. */
import { type Curve, type CurvePoint, figure, type Mark, type Marks } from '../../offer/drawing.ts'
import { at, cut, labelStep, labelsOf, middleOf, outlined, thinned, ticksOf, widthOf } from './scale.ts'
import { escaped } from './text.ts'

const [width, height, right, top, bottom] = [480, 236, 14, 14, 30]
const [mostOfLine, mostBars, mostDots] = [240, 40, 32]

interface Frame {
  svg: string
  left: number
  y(value: number): number
}

/** The lines of the scale, with their round numbers. */
function frameOf(low: number, high: number): Frame {
  const ticks = ticksOf(low, high)
  const labels = labelsOf(ticks)
  const [first = 0, last = 1] = [ticks[0], ticks.at(-1)]
  const left = Math.max(...labels.map(widthOf)) + 16
  const y = (value: number) => top + ((last - value) / (last - first)) * (height - top - bottom)
  const lines = ticks.map((tick, i) => {
    const kind = tick === 0 && first < 0 ? 'axis zero' : 'axis'
    return `<path class="${kind}" d="M${at(left)} ${at(y(tick))}H${width - right}"/><text x="${at(left - 8)}" y="${at(y(tick) + 5)}" text-anchor="end">${escaped(labels[i] ?? '')}</text>`
  })
  return { svg: lines.join(''), left, y }
}

/** Labels below, as many as have room, none beyond the edges. */
function labelsBelow(labels: readonly string[], x: (of: number) => number, room: number): string {
  const step = labelStep(labels, room)
  return labels
    .map((label, i) => {
      if (i % step) return ''
      const middle = middleOf(label, x(i), 0, width)
      return `<text x="${at(middle)}" y="${height - 8}" text-anchor="middle">${escaped(label)}</text>`
    })
    .join('')
}

const tip = ({ at: when, value }: Mark): string =>
  `<title>${escaped(cut(when, 40))}: ${escaped(figure(value))}</title>`

/** Where each stands from left to right: by its time, if each has one that is later than the one before. */
function placesOf(marks: readonly Mark[]): number[] {
  const times = marks.map(mark => (/^\d{4}-\d{2}-\d{2}/.test(mark.at) ? Date.parse(mark.at) : Number.NaN))
  const [first = Number.NaN, last = Number.NaN] = [times[0], times.at(-1)]
  const isRising = times.every((time, i) => time >= (times[i - 1] ?? time)) && last > first
  return isRising
    ? times.map(time => (time - first) / (last - first))
    : marks.map((_, i) => i / Math.max(1, marks.length - 1))
}

function lineOf(marks: readonly Mark[]): string {
  const values = marks.map(({ value }) => value)
  const { svg, left, y } = frameOf(Math.min(...values), Math.max(...values))
  const room = width - left - right
  const places = placesOf(marks)
  const x = (i: number) => left + 6 + (room - 12) * (places[i] ?? 0)
  const path = marks.map(({ value }, i) => `${i ? 'L' : 'M'}${at(x(i))} ${at(y(value))}`).join('')
  const area = `${path}L${at(x(marks.length - 1))} ${height - bottom}L${at(x(0))} ${height - bottom}Z`
  const dots = marks.map((mark, i) =>
    marks.length > mostDots && i < marks.length - 1
      ? ''
      : `<circle class="dot" cx="${at(x(i))}" cy="${at(y(mark.value))}" r="4">${tip(mark)}</circle>`,
  )
  const shown = thinned(
    marks.map((mark, i) => ({ label: cut(mark.at, 14), i })),
    Math.max(2, Math.min(4, marks.length)),
  )
  const below = labelsBelow(
    shown.map(({ label }) => label),
    i => x(shown[i]?.i ?? 0),
    room,
  )
  return `<svg class="chart" role="img" viewBox="0 0 ${width} ${height}">%told%<path class="area" d="${area}"/>${svg}<path class="line" d="${path}"/>${dots.join('')}${below}</svg>`
}

function barsOf(marks: readonly Mark[]): string {
  const values = marks.map(({ value }) => value)
  const { svg, left, y } = frameOf(Math.min(0, ...values), Math.max(0, ...values))
  const slot = (width - left - right) / marks.length
  const wide = Math.min(44, slot * 0.7)
  const x = (i: number) => left + slot * (i + 0.5)
  const bars = marks.map((mark, i) => {
    const [from, to] = [y(Math.max(0, mark.value)), y(Math.min(0, mark.value))]
    const kind = mark.value < 0 ? 'gap' : mark.isOther ? 'bar other' : 'bar'
    return `<rect class="${kind}" x="${at(x(i) - wide / 2)}" y="${at(from)}" width="${at(wide)}" height="${at(Math.max(1, to - from))}" rx="2">${tip(mark)}</rect>`
  })
  const labels = marks.map(mark => cut(mark.at, 14))
  return `<svg class="chart" role="img" viewBox="0 0 ${width} ${height}">%told%${svg}${bars.join('')}${labelsBelow(labels, x, width - left - right)}</svg>`
}

type Points = Pick<Curve, 'curve' | 'known'>

/** What has room in a drawing of a curve. */
export const pointsIn = ({ curve, known }: Points): Points => ({
  curve: outlined(curve, mostOfLine, ({ y }) => y),
  known: known.slice(0, mostDots),
})

export function curveOf({ curve, known }: Points): string {
  const points: readonly CurvePoint[] = [...curve, ...known]
  const ys = points.map(({ y }) => y)
  const xs = ticksOf(Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x)))
  const frame = frameOf(Math.min(0, ...ys), Math.max(...ys))
  const [first = 0, last = 1] = [xs[0], xs.at(-1)]
  const room = width - frame.left - right
  const x = (value: number) => frame.left + room * ((value - first) / (last - first))
  const path = curve.map((each, i) => `${i ? 'L' : 'M'}${at(x(each.x))} ${at(frame.y(each.y))}`).join('')
  const marks = known.map(each => {
    const name = cut(each.name, 28)
    const middle = middleOf(name, x(each.x), frame.left + 6, width - right)
    return `<circle class="dot" cx="${at(x(each.x))}" cy="${at(frame.y(each.y))}" r="5"/><text class="name" x="${at(middle)}" y="${at(Math.max(16, frame.y(each.y) - 12))}" text-anchor="middle">${escaped(name)}</text>`
  })
  return `<svg class="chart" role="img" viewBox="0 0 ${width} ${height}">%told%${frame.svg}<path class="line" d="${path}"/>${marks.join('')}${labelsBelow(labelsOf(xs), i => x(xs[i] ?? 0), room)}</svg>`
}

/** What has room in a line or beside each other. */
export const marksIn = ({ kind }: Pick<Marks, 'kind'>, marks: readonly Mark[]): Mark[] =>
  outlined(marks, kind === 'line' ? mostOfLine : mostBars, ({ value }) => value)

export const chartOf = ({ kind }: Pick<Marks, 'kind'>, marks: readonly Mark[]): string =>
  kind === 'line' ? lineOf(marks) : barsOf(marks)

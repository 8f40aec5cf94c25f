/** An answer as drawings, each with a table beside it that holds the numbers. Strangers have written it, so nothing of it is markup. */
import {
  type AnswerFields,
  type Curve,
  type CurvePoint,
  type Drawing,
  type Drawings,
  type DrawnPicture,
  type DrawnSpan,
  figure,
  type Mark,
  type Marks,
  type Spans,
  type Steps,
} from '../../offer/drawing.ts'
import { drawnByShape } from './by-shape.ts'
import { chartOf, curveOf, marksIn, pointsIn } from './draw-chart.ts'
import { mostRows, mostSteps, rankedOf, spansOf, stepsOf } from './draw-rows.ts'
import { cut, isDrawn, outlined, thinned } from './scale.ts'
import { table } from './table.ts'
import { escaped } from './text.ts'

const [mostDrawings, mostLines, mostText, mostUnit] = [4, 60, 160, 20]

/** What an origin says of the operation; of others, what goes over time in a list of the answer. */
export function drawingsOf(answer: unknown, draw: Drawings['of'][string] | undefined): string {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return ''
  const drawings = draw ? draw(answer as AnswerFields) : drawnByShape(answer)
  return drawings.map(drawn).filter(Boolean).slice(0, mostDrawings).join('')
}

export function drawn(drawing: Drawing): string {
  switch (drawing.kind) {
    case 'curve':
      return ofCurve(drawing)
    case 'spans':
      return ofSpans(drawing)
    case 'steps':
      return ofSteps(drawing)
    case 'picture':
      return ofPicture(drawing)
    default:
      return ofMarks(drawing)
  }
}

/** `svg` has a place for its title and its words. */
function framed({ title, note }: Drawing, svg: string, told: string, beside: string): string {
  const heard = `<title>${escaped(cut(title, mostText))}</title><desc>${escaped(told)}</desc>`
  return `<figure class="drawn"><figcaption><strong>${escaped(cut(title, mostText))}</strong>${note ? ` ${escaped(cut(note, mostText * 3))}` : ''}</figcaption><div class="two"><div>${svg.replace('%told%', () => heard)}</div>${beside}</div></figure>`
}

/** What is short stays in one line. */
function cell(text = ''): string {
  const shown = escaped(cut(text, mostText))
  return shown.length > mostUnit ? shown : `<span class="kept">${shown}</span>`
}

function ofMarks(drawing: Marks): string {
  const { kind, when, what, title, more = [] } = drawing
  const unit = cut(drawing.unit ?? '', mostUnit)
  const found = drawing.marks.filter(({ value }) => isDrawn(value))
  if (found.length < (kind === 'line' ? 2 : 1)) return ''
  const marks = kind === 'ranked' ? found.toSorted((a, b) => b.value - a.value) : found
  const inChart = kind === 'ranked' ? marks.slice(0, mostRows) : marksIn(drawing, marks)
  const svg = kind === 'ranked' ? rankedOf(inChart, unit) : chartOf(drawing, inChart)
  const listed = outlined(marks, mostLines, ({ value }) => value)
  const rows = (kind === 'line' ? listed.toReversed() : listed).map(mark => [
    cell(mark.at),
    escaped(figure(mark.value)),
    ...more.map((_, i) => cell(mark.more?.[i])),
  ])
  const shown = table({
    columns: [when, { title: unit ? `${what}, ${unit}` : what, isNumber: true }, ...more],
    rows,
    caption: cut(title, mostText),
    scrolls: true,
  })
  const unknown = drawing.marks.length - marks.length
  const left = [
    unknown ? `${figure(unknown)} without a number that can be drawn.` : '',
    kind !== 'ranked' ? drawnOf(inChart, marks, 'the least and the greatest of each stretch') : '',
    inTableOf(rows, marks),
    kind === 'ranked' && marks.length > mostRows ? `The ${mostRows} largest are drawn.` : '',
  ].filter(Boolean)
  return framed(told(drawing, left), svg, wordsOf(marks, unit), shown)
}

/** What is left out is told whole, however long the note is. */
const told = <Of extends Drawing>(drawing: Of, more: readonly string[]): Of => ({
  ...drawing,
  ...(more.length && { note: [cut(drawing.note ?? '', mostText), ...more].filter(Boolean).join(' ') }),
})

const inTableOf = (some: readonly unknown[], all: readonly unknown[]): string =>
  some.length < all.length ? `${some.length} of ${figure(all.length)} in the table.` : ''

const firstOf = (most: number, all: readonly unknown[]): string =>
  most < all.length ? `The first ${most} of ${figure(all.length)} are drawn.` : ''

const drawnOf = (some: readonly unknown[], all: readonly unknown[], which: string): string =>
  some.length < all.length ? `${some.length} of ${figure(all.length)} are drawn: ${which}.` : ''

/** The drawing in a sentence, for who does not see it. */
function wordsOf(marks: readonly Mark[], unit: string): string {
  const [first, last] = [marks[0], marks.at(-1)]
  const ordered = marks.map(({ value }) => value).toSorted((a, b) => a - b)
  const words = (value = 0) => `${figure(value)}${unit && ` ${unit}`}`
  const at = (mark: Mark | undefined) => `${words(mark?.value)} at ${cut(mark?.at ?? '', 60)}`
  return `From ${at(first)} to ${at(last)}; lowest ${words(ordered[0])}, highest ${words(ordered.at(-1))}.`
}

function ofCurve(drawing: Curve): string {
  const isPoint = ({ x, y }: { x: number; y: number }) => isDrawn(x) && isDrawn(y)
  const [curve, known] = [drawing.curve.filter(isPoint), drawing.known.filter(isPoint)]
  if (curve.length < 2) return ''
  const { across, what, acrossUnit = '', unit = '' } = drawing
  const head = (name: string, of: string) => ({ title: of ? `${name}, ${of}` : name, isNumber: true })
  const rows = [
    ...known.map(({ x, y, name }) => [
      cell(name),
      escaped(figure(x)),
      escaped(figure(Number(y.toPrecision(6)))),
    ]),
    ...inTable(curve).map(({ x, y }) => [
      cell('on the curve'),
      escaped(figure(Number(x.toPrecision(6)))),
      escaped(figure(Number(y.toPrecision(4)))),
    ]),
  ]
  const shown = table({
    columns: ['point', head(across, acrossUnit), head(what, unit)],
    rows,
    caption: cut(drawing.title, mostText),
    scrolls: true,
  })
  const words = known.map(
    ({ x, y, name }) =>
      `${cut(name, 60)}: ${figure(x)} ${acrossUnit}, ${figure(Number(y.toPrecision(6)))} ${unit}`,
  )
  const inChart = pointsIn({ curve, known })
  const left = [
    drawnOf(inChart.curve, curve, 'the least and the greatest of each stretch of the curve'),
    drawnOf(inChart.known, known, 'the first that are named'),
  ].filter(Boolean)
  return framed(told(drawing, left), curveOf(inChart), `${words.join('; ')}.`, shown)
}

/** Points at even distances, with the least and the greatest. */
function inTable(curve: readonly CurvePoint[]): CurvePoint[] {
  const ordered = curve.toSorted((a, b) => a.y - b.y)
  const kept = new Set([...thinned(curve, 5), ordered[0], ordered.at(-1)])
  return curve.filter(point => kept.has(point))
}

/** Beyond these years a moment is an error of somebody. */
const [first, last] = [Date.UTC(1950), Date.UTC(2150)]

function ofSpans(drawing: Spans): string {
  const spans = drawing.spans.filter(
    ({ from, to }) =>
      Date.parse(from) >= first && Date.parse(from) <= Date.parse(to) && Date.parse(to) < last,
  )
  if (spans.length === 0) return ''
  const moment = (text: string) => new Date(text).toISOString().slice(0, 16).replace('T', ' ')
  const rows = spans
    .slice(0, mostLines)
    .map(({ name, from, to, words }: DrawnSpan) => [cell(name), moment(from), moment(to), cell(words)])
  const shown = table({
    columns: [drawing.who, 'from, UTC', 'to, UTC', drawing.what],
    rows,
    caption: cut(drawing.title, mostText),
  })
  const left = [firstOf(mostRows, spans), inTableOf(rows, spans)].filter(Boolean)
  const words = spans
    .slice(0, mostRows)
    .map(({ name, from, to }) => `${cut(name, 60)} from ${moment(from)} to ${moment(to)}`)
  return framed(told(drawing, left), spansOf(spans), `${words.join('; ')}.`, shown)
}

function ofSteps(drawing: Steps): string {
  if (drawing.steps.length === 0) return ''
  const rows = drawing.steps
    .slice(0, mostLines)
    .map(({ name, value, beside }) => [
      cell(name),
      `<code>${cell(value)}</code>`,
      beside === undefined ? '' : `<code>${cell(beside)}</code>`,
    ])
  const shown = table({
    columns: ['step', 'value', 'with'],
    rows,
    caption: cut(drawing.title, mostText),
  })
  const left = [firstOf(mostSteps, drawing.steps), inTableOf(rows, drawing.steps)].filter(Boolean)
  return framed(
    told(drawing, left),
    stepsOf(drawing.steps),
    drawing.steps
      .slice(0, mostRows)
      .map(({ name }) => cut(name, 60))
      .join(', then '),
    shown,
  )
}

const pictures = ['image/jpeg', 'image/png', 'image/webp']
/** An example holds the first bytes alone, which are no picture. */
const fewestBytes = 200

/** A picture of a page, in the frame of its size. What is no picture in base64 is not shown. */
function ofPicture({ title, note, type, base64, width, height }: DrawnPicture): string {
  const isWhole =
    pictures.includes(type) && base64.length > fewestBytes && /^[A-Za-z0-9+/]+={0,2}$/.test(base64)
  const [w, h] = [width, height].map(size => Math.round(size))
  if (!w || !h || w < 1 || h < 1 || w > 20_000 || h > 100_000) return ''
  const heard = escaped(cut(title, mostText))
  const caption = `<figcaption><strong>${heard}</strong> ${w} × ${h}, ${escaped(cut(type, mostUnit))}${note ? `. ${escaped(cut(note, mostText))}` : ''}</figcaption>`
  const shown = isWhole
    ? `<img class="shot" alt="${heard}" width="${w}" height="${h}" src="data:${type};base64,${base64}">`
    : `<svg class="chart" role="img" viewBox="0 0 480 300"><title>${heard}</title><desc>The frame of a picture that is not shown here.</desc><rect class="frame" x="1" y="1" width="478" height="298" rx="8"/><path class="axis" d="M1 34H479"/><circle class="none" cx="20" cy="18" r="5"/><circle class="none" cx="38" cy="18" r="5"/><circle class="none" cx="56" cy="18" r="5"/><text class="name" x="240" y="164" text-anchor="middle">${escaped(cut(title, 50))}</text><text x="240" y="190" text-anchor="middle">${w} × ${h}, the picture comes with the answer</text></svg>`
  return `<figure class="drawn">${caption}${shown}</figure>`
}

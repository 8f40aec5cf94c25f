/** Draws the answer of a panel as HTML. */
import type { Panel } from '../board.ts'

export interface Series {
  name: string
  points: readonly (readonly [at: number, value: number])[]
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const seconds = (value: number): string => {
  const sizes = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const
  const [size, unit] = sizes.find(([size]) => Math.abs(value) >= size) ?? [0.001, 'ms']
  return `${Number((value / size).toPrecision(3))} ${unit}`
}

function told({ unit, words }: Panel, value: number): string {
  if (words?.[value] !== undefined) return words[value]
  if (unit === 's') return seconds(value)
  if (unit === 'percentunit') return `${Number((100 * value).toPrecision(3))}%`
  if (unit === 'bytes') return `${Number((value / 2 ** 20).toPrecision(3))} MiB`
  const number = value.toLocaleString('en', { maximumSignificantDigits: 4 })
  return unit === 'short' || unit === 'string'
    ? number
    : unit === 'currencyUSD'
      ? `$${number}`
      : `${number} ${unit}`
}

function colourOf({ bounds }: Panel, value: number): string {
  if (!bounds) return '#2c3235'
  const { warn, bad, below } = bounds
  const isPast = (bound: number) => (below ? value < bound : value >= bound)
  if (isPast(bad)) return '#c4162a'
  return warn !== undefined && isPast(warn) ? '#ff780a' : '#37872d'
}

export function said(panel: Panel, value: number | string | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '<p class="empty">No data</p>'
  const isText = typeof value === 'string'
  const [colour, text] = isText ? ['#2c3235', value] : [colourOf(panel, value), told(panel, value)]
  return `<div class="stat" style="background:${colour}">${escaped(text)}</div>`
}

export function barred(panel: Panel, series: readonly Series[]): string {
  const values = series.map(({ points }) => points.at(-1)?.[1] ?? 0)
  const most = Math.max(panel.bounds?.bad ?? 0, ...values)
  const rows = series.map(({ name }, i) => {
    const value = values[i] as number
    const width = most > 0 ? (100 * value) / most : 0
    return `<tr><td>${escaped(name)}</td><td style="width:60%"><div style="width:${width}%;background:${colourOf(panel, value)}">&nbsp;</div></td><td>${escaped(told(panel, value))}</td></tr>`
  })
  return rows.length ? `<table>${rows.join('')}</table>` : '<p class="empty">No data</p>'
}

const colours = ['#73bf69', '#f2cc0c', '#8ab8ff', '#ff780a', '#f2495c', '#5794f2', '#b877d9', '#705da0']

export function drawn(panel: Panel, series: readonly Series[]): string {
  const points = series.flatMap(one => one.points).filter(([, value]) => Number.isFinite(value))
  if (!points.length) return '<p class="empty">No data</p>'
  const times = points.map(([at]) => at)
  const [from, to] = [Math.min(...times), Math.max(...times)]
  const top = Math.max(...points.map(([, value]) => value)) || 1
  const place = ([at, value]: Series['points'][number]) =>
    `${((at - from) / (to - from || 1)) * 400},${118 - (value / top) * 112}`
  const lines = series.map(
    ({ points }, i) =>
      `<polyline fill="none" stroke="${colours[i % colours.length]}" points="${points
        .filter(([, value]) => Number.isFinite(value))
        .map(place)
        .join(' ')}"/>`,
  )
  const legend = series.map(({ name, points }, i) => {
    const last = points.at(-1)?.[1] ?? Number.NaN
    const lately = Number.isNaN(last) ? 'none' : told(panel, last)
    return `<span style="color:${colours[i % colours.length]}">${escaped(name || 'value')}: ${escaped(lately)}</span>`
  })
  return `<small>${escaped(told(panel, top))}</small><svg viewBox="0 0 400 120" preserveAspectRatio="none">${lines.join('')}</svg><small>${legend.join(' · ')}</small>`
}

export function tabled(rows: readonly Record<string, unknown>[]): string {
  const [first] = rows
  if (!first) return '<p class="empty">No data</p>'
  const line = (cell: string, values: readonly unknown[]) =>
    `<tr>${values.map(value => `<${cell}>${escaped(String(value))}</${cell}>`).join('')}</tr>`
  return `<table>${line('th', Object.keys(first))}${rows
    .slice(0, 12)
    .map(row => line('td', Object.values(row)))
    .join('')}</table>`
}

import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Board } from '../../deploy/grafana/board.ts'
import { analysing, operating } from '../../deploy/grafana/boards/index.ts'
import { written } from '../../deploy/grafana/write.ts'
import { deployed } from './queries.ts'

const boards = [...operating, ...analysing]
const headings = [...deployed('README.md').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
  (heading as string)
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-'),
)
/** Grafana's units on the boards. */
const units = [...['short', 'percentunit', 's', 'bytes', 'currencyUSD', 'string'], ...['ops', 'opm', 'reqps']]
const panelsOf = ({ glance, panels }: Board) => [...glance, ...panels]

it('Grafana reads the declared boards; `npx node deploy/grafana/write.ts` writes them', () => {
  expect(readdirSync('deploy/grafana/json').toSorted()).toEqual(
    written()
      .map(({ file }) => file)
      .toSorted(),
  )
  for (const { file, text } of written()) expect(deployed(`grafana/json/${file}`), file).toBe(text)
})

it('no two boards are taken for one', () => {
  expect(new Set(boards.map(({ uid }) => uid)).size).toBe(boards.length)
  expect(new Set(boards.map(({ title }) => title)).size).toBe(boards.length)
})

it.each(operating)('$title asks first whether money is safe, data is fresh and it is fast', ({ glance }) => {
  expect(glance.slice(0, 3).map(({ title }) => title)).toEqual([
    'Is money safe?',
    'Is data fresh?',
    'Is it fast?',
  ])
})

describe.each(boards)('$title', board => {
  it('answers a question, and its first row is stats only', () => {
    expect(board.description).toMatch(/\?$/)
    expect(board.glance.map(({ kind }) => kind)).toEqual(board.glance.map(() => 'stat'))
    expect(24 % board.glance.length).toBe(0)
  })

  it('has no two panels of one name', () => {
    const titles = panelsOf(board).map(({ title }) => title)
    expect(titles).toEqual([...new Set(titles)])
  })

  it('has no panel over another', () => {
    const { panels } = JSON.parse(deployed(`grafana/json/${board.uid}.json`)) as {
      panels: { gridPos: { x: number; y: number; w: number; h: number } }[]
    }
    const taken = new Set<string>()
    for (const { gridPos } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`)).toBe(false)
          taken.add(`${x} ${y}`)
        }
    }
  })

  it.each(panelsOf(board))('panel $title: unit, sentence, runbook, names, bounds', panel => {
    expect(units).toContain(panel.unit)
    expect(panel.description).toMatch(/^[A-Z0-9a-z].*\.$/)
    expect(headings).toContain(panel.runbook)
    expect(Object.keys(panel.ask)).not.toEqual([])
    // A line needs a name. A single number needs none.
    if (panel.kind === 'timeseries') expect(Object.keys(panel.ask)).not.toContain('__auto')
    for (const [legend, query] of Object.entries(panel.ask))
      for (const [, label] of legend.matchAll(/\{\{(\w+)\}\}/g)) {
        const grouped = query.includes(' by (')
        if (grouped)
          expect(query, `${legend} is lost in the sum`).toMatch(new RegExp(`by \\([^)]*\\b${label}\\b`))
      }
    const { warn, bad, below } = panel.bounds ?? { bad: 0 }
    if (warn !== undefined) expect(below ? warn > bad : warn < bad).toBe(true)
  })
})

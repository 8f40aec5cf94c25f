/** The way of every fact: source, topic, table, view, operation. */

import { readFileSync } from 'node:fs'
import type { Operation } from '../offer/operation.ts'
import type { OpenOrigin, ServedPage } from '../offer/origin.ts'
import { generalPicture } from '../query/catalog/offered.ts'
import { layout, pageHeaders } from '../query/face/layout.ts'
import { table } from '../query/face/table.ts'
import { docsPath, escaped, linkTo } from '../query/face/text.ts'
import { type Line, linesOf } from './lineage-lines.ts'
import { lineagePicture } from './lineage-picture.ts'

const script: ServedPage = {
  path: '/lineage.js',
  answer: () => ({ type: 'text/javascript; charset=utf-8', body: inPage }),
}
const inPage = readFileSync(new URL('lineage-in-page.js', import.meta.url), 'utf8')

export function lineagePages(contact: string): ServedPage[] {
  const bodies = new WeakMap<readonly OpenOrigin[], Promise<string>>()
  const lineage: ServedPage = {
    path: '/lineage',
    isForPeople: true,
    answer: async ({ origins }) => {
      const body = bodies.get(origins) ?? linesOf(origins).then(lines => page(lines, origins, contact))
      bodies.set(origins, body)
      return { type: 'text/html; charset=utf-8', body: await body, headers: pageHeaders }
    },
  }
  return [lineage, script]
}

const page = (lines: readonly Line[], origins: readonly OpenOrigin[], contact: string): string =>
  layout({
    title: 'Lineage · Farebox',
    about: 'The way of every fact: from its source to the operation that sells it.',
    contact,
    picture: generalPicture(origins),
    path: '/lineage',
    script: script.path,
    body: `<h1>Lineage</h1>
<p>The way of every fact, from left to right. A source or a lookup brings it into a topic of the log, from there it goes into a table, a view shows it as an answer needs it, and an operation sells it. This page is derived from the code.</p>
${lineagePicture(lines)}
<h2>As a list</h2>
${table({ columns: ['from', 'topic', 'table', 'view', 'sold by'], rows: lines.flatMap(rowsOf), caption: 'The way of every fact' })}
${soldByFiles(origins)}
<p><a href="/status">How each source fares</a></p>`,
  })

/** What is asked for when somebody buys it stands in no topic. */
function soldByFiles(origins: readonly OpenOrigin[]): string {
  const rows = origins.flatMap(({ title, operations }) =>
    operations
      .filter(({ source }) => source && source.reads.length === 0)
      .map(operation => [escaped(title), escaped(operation.source?.kind ?? ''), soldBy([operation])]),
  )
  if (rows.length === 0) return ''
  return `<h2>Sold by files</h2>
<p>These answers come from outside of this service when somebody buys them, and stand in no topic.</p>
${table({ columns: ['of', 'from', 'sold by'], rows, caption: 'What files sell' })}`
}

const code = (name: string): string => `<code>${escaped(name)}</code>`

const tables: Record<Line['dataset']['audience'], (name: string) => string> = {
  analysts: code,
  service: name => `${code(name)} <small>not for analysts</small>`,
  log: () => '<small>in the log only</small>',
}

/** A row for each view of the dataset. */
function rowsOf({ dataset, sources, lookups, rooms, views, operations }: Line): string[][] {
  const from = [
    ...sources.map(name => `source ${code(name)}`),
    ...lookups.map(name => `lookup ${code(name)}`),
    ...rooms.map(code),
  ]
  const read = views.map(({ view, operations }) => [code(view.name), soldBy(operations)])
  if (operations.length || read.length === 0) read.push(['', soldBy(operations)])
  const first = [from.join('<br>'), code(dataset.topic.name), tables[dataset.audience](dataset.name)]
  return read.map(rest => [...first, ...rest])
}

const soldBy = (operations: readonly Operation[]): string =>
  operations.map(({ path }) => linkTo(docsPath(path), path)).join('<br>')

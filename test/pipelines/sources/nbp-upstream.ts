/** A stand-in for api.nbp.pl on loopback: tables of a span of days in the live format, and 404 where there are none. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Drift } from '../../../pipelines/rails/drift.ts'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { nbp } from '../../../pipelines/sources/nbp.ts'
import type { FxTable } from '../../../schemas/fx-bank-rates.ts'

export interface NbpTable {
  table: string
  no: string
  effectiveDate: string
  rates: { currency: string; code: string; mid: number }[]
}

export const recorded = (series: 'A' | 'B'): NbpTable[] =>
  JSON.parse(readFileSync(new URL(`../../recorded/nbp/${series}.json`, import.meta.url), 'utf8'))

type Cursor = Parameters<typeof nbp.pull>[0]

/** Answers with the recorded tables. `change` replaces the tables of an answer. */
export async function pollNbp(
  now: string,
  cursor?: Cursor,
  change: (tables: NbpTable[], series: string) => unknown = tables => tables,
) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const [, series, start = '', end = ''] =
      /^\/api\/exchangerates\/tables\/([AB])\/([\d-]+)\/([\d-]+)\/\?format=json$/.exec(request.url ?? '') ??
      []
    if (!series) return response.writeHead(400).end('400 BadRequest')
    asked.push(`${series} ${start} ${end}`)
    const tables = recorded(series as 'A' | 'B').filter(
      ({ effectiveDate }) => start <= effectiveDate && effectiveDate <= end,
    )
    if (!tables.length) return response.writeHead(404).end('404 NotFound - Not Found - Brak danych')
    response.setHeader('content-type', 'application/json; charset=utf-8')
    return response.end(JSON.stringify(change(tables, series)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const outside = createOutside({
      at: { NBP_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      contact: 'test',
      now: () => Date.parse(now),
    })(new AbortController().signal)
    const tables: FxTable[] = []
    const drift: Drift[] = []
    let next = cursor
    for await (const page of nbp.pull(cursor, outside, {})) {
      drift.push(...(page.drift ?? []))
      tables.push(...page.events.map(({ event }) => event as FxTable))
      next = JSON.parse(JSON.stringify(page.cursor))
    }
    return { tables, cursor: next, asked, drift }
  } finally {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
}

/** Reads the SEC's list of tickers: new ones, those that mean another company now, and those that left the list. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type SecTicker, secTickers } from '../../../schemas/sec-tickers.ts'
import { instant } from '../../../schemas/values/values.ts'
import { type Drift, setDrift } from '../../rails/drift.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import type { Validators } from '../../rails/outside/upstreams/outside.ts'
import { emit, type Source } from '../source.ts'
import { askEdgar } from './edgar.ts'
import { secWww, tickersPath } from './upstream.ts'

interface Cursor {
  /** Each ticker with a mark of its row. */
  marks: Record<string, string>
  validators: Validators
  polledAt: number
}

const document = z.looseObject({
  fields: z.array(z.string()),
  data: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
})

const knownColumns = ['cik', 'name', 'ticker', 'exchange']

/** Callers ask for a new listing within hours. */
const pauseMs = 3.5 * 3_600_000
/** A list that is cut off must not remove tickers: this share must remain. */
const leastKept = 0.8

export const tickers: Source<Cursor> = {
  name: 'sec_tickers',
  upstreams: [secWww],
  writes: [secTickers],
  schedule: '20 */4 * * *',
  timeoutMs: 60_000,
  silentAfterMs: 50 * 3_600_000,

  due: (now, cursor) => !cursor || now - cursor.polledAt > pauseMs,

  async *pull(cursor, outside) {
    const answer = await askEdgar(outside, secWww, tickersPath, { validators: cursor?.validators })
    if (!answer) throw new UpstreamFailed(`${tickersPath} is not there`)
    const { from } = answer
    const polledAt = outside.now()
    if (answer.unchanged && cursor) {
      yield { events: [], cursor: { ...cursor, polledAt } }
      return
    }
    const { rows, drift } = readTickers(answer.text(), from, instant(polledAt).slice(0, 10))
    const before = cursor?.marks ?? {}
    const gone = Object.keys(before).filter(ticker => !rows.has(ticker))
    if (rows.size < leastKept * Object.keys(before).length)
      throw new UpstreamFailed(`${from} has only ${rows.size} tickers left`)
    const marks = Object.fromEntries([...rows].map(([ticker, row]) => [ticker, markOf(row)]))
    const day = instant(polledAt).slice(0, 10)
    yield {
      events: [
        ...[...rows.values()].filter(row => before[row.ticker] !== marks[row.ticker]),
        ...gone.map(ticker => ({ ticker, day, cik: null, name: '', exchange: null })),
      ].map(row => emit(secTickers, row)),
      cursor: { marks, validators: answer.validators, polledAt },
      drift,
    }
  },
}

/** If two companies have one ticker, the first counts: the list has the larger company first. */
export function readTickers(
  json: string,
  from: string,
  day: string,
): { rows: Map<string, SecTicker>; drift: Drift[] } {
  const { fields, data } = shaped(json, from)
  const [cik, name, ticker, exchange] = knownColumns.map(field => fields.indexOf(field))
  const rows = new Map<string, SecTicker>()
  for (const row of data) {
    const at = (column: number | undefined) => row[column ?? -1] ?? null
    const symbol = String(at(ticker) ?? '')
    if (!symbol || rows.has(symbol)) continue
    const place = at(exchange)
    rows.set(symbol, {
      ticker: symbol,
      day,
      cik: Number(at(cik)),
      name: String(at(name) ?? ''),
      exchange: place === null ? null : String(place),
    })
  }
  return { rows, drift: setDrift('fields', knownColumns, fields) }
}

function shaped(json: string, from: string): z.output<typeof document> {
  try {
    return document.parse(JSON.parse(json))
  } catch (error) {
    throw new UpstreamFailed(`${from} is not the list it should be`, { cause: error })
  }
}

const markOf = ({ cik, name, exchange }: SecTicker): string =>
  createHash('sha1').update(`${cik}|${name}|${exchange}`).digest('hex').slice(0, 8)

/** Finds the SEC's ticker for a caller's spelling of it. It undoes known spellings and never guesses. */
import type { SecTicker } from '../../../../schemas/sec-tickers.ts'
import type { Held } from '../../../offer/operation.ts'

export interface TickerIndex {
  cikOf(asked: string): number | undefined
}

/** BRK.B, BRK/B, $BRK.B and NYSE:BRK.B are spellings of BRK-B. */
export const normalised = (asked: string): string =>
  asked
    .trim()
    .toUpperCase()
    .replace(/^\$/, '')
    .replace(/^[A-Z][A-Z ]*:\s*/, '')
    .replace(/[./ ]+/g, '-')

/** For BAC.PRK, BAC-PR-K and BAC^K the SEC writes BAC-PK. */
const preferred = (ticker: string): string | undefined => {
  const [, base, series] = /^([A-Z]+)(?:-PR-?|\^)([A-Z])$/.exec(ticker) ?? []
  return base && `${base}-P${series}`
}

export const tickerIndex = (held: Held<SecTicker>): TickerIndex =>
  held.once('ticker index', listed => ({ value: indexOf(listed.rows()) }))

export function indexOf(rows: Iterable<SecTicker>): TickerIndex {
  const exact = new Map<string, number>()
  const joined = new Map<string, Set<number>>()
  const bases = new Map<string, Set<number>>()
  const add = (map: Map<string, Set<number>>, name: string, cik: number) =>
    map.set(name, (map.get(name) ?? new Set()).add(cik))
  for (const { ticker, cik } of rows) {
    // This ticker has left the list, and another company may get it one day.
    if (cik === null) continue
    exact.set(ticker, cik)
    const dash = ticker.indexOf('-')
    if (dash < 0) continue
    add(joined, ticker.replaceAll('-', ''), cik)
    add(bases, ticker.slice(0, dash), cik)
  }
  const only = (ciks: Set<number> | undefined) => (ciks?.size === 1 ? [...ciks][0] : undefined)
  const spelled = (ticker: string): number | undefined =>
    exact.get(ticker) ??
    exact.get(preferred(ticker) ?? '') ??
    only(joined.get(ticker)) ??
    only(bases.get(ticker))
  return {
    cikOf: asked => {
      const ticker = normalised(asked)
      return spelled(ticker) ?? (ticker.endsWith('-US') ? spelled(ticker.slice(0, -3)) : undefined)
    },
  }
}

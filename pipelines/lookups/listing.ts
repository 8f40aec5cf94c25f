/** The current list of tickers of the SEC, for tickers that are not in the daily list yet. */
import type { SecTicker } from '../../schemas/sec-tickers.ts'
import { instant } from '../../schemas/values/values.ts'
import { UpstreamFailed } from '../rails/failures.ts'
import type { Outside } from '../rails/outside/upstreams/outside.ts'
import { askEdgar } from '../sources/sec/edgar.ts'
import { readTickers } from '../sources/sec/tickers.ts'
import { secWww, tickersPath } from '../sources/sec/upstream.ts'
import type { Lookup } from './lookup.ts'

/** The list is fetched at most this often, however many unknown tickers callers ask for. */
const keptMs = 600_000

export const listingLookup: Lookup<undefined, readonly SecTicker[]> = {
  name: 'listing',
  timeoutMs: 10_000,
  upstream: secWww,
  open() {
    let kept: { list: Promise<readonly SecTicker[]>; until: number } | undefined
    const find = (_: undefined, outside: Outside) => {
      if (kept && outside.now() < kept.until) return kept.list
      const fetched = async () => {
        const answer = await askEdgar(outside, secWww, tickersPath, { urgent: true })
        if (!answer) throw new UpstreamFailed(`the SEC has no ${tickersPath}`)
        return [...readTickers(answer.text(), answer.from, instant(outside.now()).slice(0, 10)).rows.values()]
      }
      const list = fetched()
      kept = { list, until: outside.now() + keptMs }
      // The waiting callers get the failure. The next caller starts a new fetch.
      list.then(undefined, () => {
        if (kept?.list === list) kept = undefined
      })
      return list
    }
    return { find }
  },
}

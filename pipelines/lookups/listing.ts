/** The SEC's list of tickers as it is now, for a ticker that the daily one does not have: new listings lag it by days. */
import type { SecTicker } from '../../schemas/sec-tickers.ts'
import { instant } from '../../schemas/values.ts'
import { UpstreamFailed } from '../failures.ts'
import type { Outside } from '../outside/outside.ts'
import { askEdgar } from '../sources/sec/edgar.ts'
import { readTickers } from '../sources/sec/tickers.ts'
import { secWww, tickersPath } from '../sources/sec/upstream.ts'
import type { Lookup } from './lookup.ts'

/** However many unknown tickers are asked for, the list is fetched no more often than this. */
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
        if (!answer) throw new UpstreamFailed(`${tickersPath} is not there`)
        return [...readTickers(answer.text(), answer.from, instant(outside.now()).slice(0, 10)).values()]
      }
      const list = fetched()
      kept = { list, until: outside.now() + keptMs }
      // Whoever asked is told of a failure; whoever asks next has it tried again.
      list.then(undefined, () => {
        if (kept?.list === list) kept = undefined
      })
      return list
    }
    return { find }
  },
}

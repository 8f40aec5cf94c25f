/** The SEC's list of tickers as it is now, for a ticker that the daily one does not have: new listings lag it by days. */
import type { SecTicker } from '../../schemas/sec-tickers.ts'
import { instant } from '../../schemas/values.ts'
import { UpstreamFailed } from '../failures.ts'
import { askEdgar } from '../sources/sec/edgar.ts'
import { readTickers } from '../sources/sec/tickers.ts'
import type { Lookup } from './lookup.ts'

/** However many unknown tickers are asked for, the list is fetched no more often than this. */
const keptMs = 600_000

export function createListingLookup(): Lookup<undefined, readonly SecTicker[]> {
  let kept: { list: Promise<readonly SecTicker[]>; until: number } | undefined
  return {
    name: 'listing',
    timeoutMs: 10_000,
    find(_, outside) {
      if (kept && outside.now() < kept.until) return kept.list
      const fetched = async () => {
        const url = `${outside.at.SEC_WWW_URL}/files/company_tickers_exchange.json`
        const answer = await askEdgar(outside, url, { urgent: true })
        if (!answer) throw new UpstreamFailed(`${url} is not there`)
        return [...readTickers(answer.text(), url, instant(outside.now()).slice(0, 10)).values()]
      }
      const list = fetched()
      kept = { list, until: outside.now() + keptMs }
      // Whoever asked is told of a failure; whoever asks next has it tried again.
      list.then(undefined, () => {
        if (kept?.list === list) kept = undefined
      })
      return list
    },
  }
}

export const listingLookup = createListingLookup()

/** Searches the web for a token, where the operator has chosen a search. The answer about the trade does not depend on it. */

import { searchLookup } from '../../../pipelines/lookups/search.ts'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { type ChainName, chains } from '../../../schemas/tables/chains.ts'
import type { Tools } from '../../offer/operation.ts'

interface Named {
  chain: ChainName
  token: string
  name: string | null
  symbol: string | null
}

const most = 5

export async function webResults({ chain, token, name, symbol }: Named, find: Tools['find']) {
  const none = (web_note: string) => ({ web_results: null, web_note })
  const words = [name, symbol, 'token', chains[chain].title]
  const query = name || symbol ? words.filter(word => word !== null).join(' ') : token
  try {
    const found = await find(searchLookup, { query, num: most })
    if (!found) return none('no web search is configured here')
    const web_results = found.results.map(({ title, url, snippet, date }) => ({ title, url, snippet, date }))
    return {
      web_results,
      web_note: `found by ${found.source} for ${JSON.stringify(query)}; nobody has checked them`,
    }
  } catch (error) {
    // The search failed. The facts from the chain are worth the price without it.
    if (error instanceof UpstreamFailed) return none('the web search does not answer')
    throw error
  }
}

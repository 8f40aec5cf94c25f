/** Compares a new release with the expected size of the market. A release with a doubt is held back. */

import type { MarketWindow } from '../../../schemas/market-views.ts'
import { marketRules } from '../../../schemas/tables/market-rules.ts'
import type { Release } from '../../../schemas/values/market-release.ts'

const { gate, chainCoverage } = marketRules

interface Candidate {
  release: Release
  window: MarketWindow
  coverage: number
}

/** Empty if the release may go on sale. `before` is the release on sale, with its share of the chain. */
export function doubts(
  { release, window, coverage }: Candidate,
  before: { release: Release; coverage: number } | undefined,
): string[] {
  const found: string[] = []
  const { items, rated, unread } = window
  if (release.sellers.length === 0) found.push('no seller is active')
  if (rated < gate.rated * items) found.push(`only ${rated} of ${items} listings have usage numbers`)
  if (items - unread < gate.read * items) found.push(`${unread} of ${items} listings could not be read`)
  if (!before) return found
  const [was, is] = [before.release.sellers, release.sellers]
  if (is.length < gate.sellersKept * was.length)
    found.push(`${is.length} sellers are active, and ${was.length} were before`)
  const hosts = new Set(is.map(({ host }) => host))
  const top = was.slice(0, gate.top)
  const kept = top.filter(({ host }) => hosts.has(host)).length
  if (kept < gate.topKept * top.length) found.push(`of the first ${top.length} sellers only ${kept} are left`)
  if (before.coverage >= chainCoverage && coverage < chainCoverage)
    found.push(`only ${Math.floor(100 * coverage)} % of the window was read on chain`)
  return found
}

/** Finds the release on sale in the log, and writes the next one. */

import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import {
  type MarketBuild,
  type MarketSeller,
  marketBuilds,
  marketEndpoints,
  marketReleases,
  marketWeeks,
  type ReleasePart,
} from '../../../schemas/market-weeks.ts'
import { eventsIn, newestNow } from '../../rails/log/events.ts'
import { entryOf, type Log } from '../../rails/log/log.ts'
import type { Assembled } from './assembly.ts'
import { newestWhole, toParts } from './release.ts'

/** Appends the parts last, so that everything on sale is already in the topics of the tables. */
export async function publish(
  log: Log,
  { release, ranked }: Assembled,
  text: string,
  { at, release: sha256, old }: MarketBuild & { old: readonly ReleasePart[] },
): Promise<void> {
  const { week } = release
  const sellers = release.sellers.map((seller, index): MarketSeller => {
    const { found, seller: judged } = ranked[index] as (typeof ranked)[number]
    const { chain } = judged
    return {
      week,
      release: sha256,
      host: seller.host,
      operator: seller.operator,
      rank: seller.rank,
      est_revenue_usd: seller.est_revenue_usd,
      calls: seller.calls,
      paying_wallets_max: seller.paying_wallets_max,
      endpoints: judged.endpoints.length,
      paid_endpoints: seller.paid_endpoints,
      repeat_buyers: seller.endpoints.some(({ repeat }) => repeat),
      basis: seller.repeat_basis,
      categories: [...seller.categories],
      competitors_category: seller.competitors_category,
      patterns: found.map(({ label: { code, witness, severity }, evidence }) => ({
        code,
        witness,
        severity,
        evidence: JSON.stringify(evidence),
      })),
      chain_payments: chain?.payments ?? null,
      chain_paid_usd: chain?.paid.toFixed() ?? null,
      chain_wash_usd: chain?.wash.toFixed() ?? null,
      chain_payers: chain?.payers ?? null,
      returning_payers: chain?.returning ?? null,
      rule_version: release.rule_version,
    }
  })
  const endpoints = ranked.flatMap(({ seller }) =>
    seller.endpoints.map(endpoint => ({
      week,
      release: sha256,
      host: seller.host,
      resource_key: endpoint.key,
      url: endpoint.url,
      price_usd: endpoint.price?.toFixed() ?? null,
      calls: endpoint.calls,
      paying_wallets: endpoint.payers,
      category: endpoint.categories[0] ?? 'other',
    })),
  )
  await append(log, marketWeeks, sellers)
  await append(log, marketEndpoints, endpoints)
  await append(log, marketReleases, toParts(text, { week, builtAt: at }))
  // The previous release stays complete for readers that have not seen the last part yet. Older ones are removed.
  const gone = old.filter(part => part.release !== sha256)
  await log.append(
    marketReleases.topic,
    gone.map(part => ({ key: marketReleases.keyOf(part), value: null })),
  )
}

const batch = 1000
export async function append(log: Log, dataset: Dataset, rows: readonly object[]): Promise<void> {
  for (let at = 0; at < rows.length; at += batch)
    await log.append(
      dataset.topic,
      rows.slice(at, at + batch).map(row => entryOf(dataset, row)),
    )
}

/** What the log holds: the release on sale, the parts of older ones, and the build that made it. */
export async function onSale(log: Log) {
  const parts = await newestNow(log, marketReleases)
  const newest = newestWhole(parts.values())
  return {
    newest,
    parts: [...parts.values()].filter(({ release }) => release !== newest?.sha256),
    build: newest && (await publishedBuild(log, newest.sha256)),
  }
}

async function publishedBuild(log: Log, release: string): Promise<MarketBuild | undefined> {
  let found: MarketBuild | undefined
  const watching = await log.watch(marketBuilds.topic, batch => {
    for (const { event } of eventsIn(marketBuilds, batch))
      if (event.release === release && event.outcome === 'published') found = event
  })
  await watching.caughtUp
  await watching.close()
  return found
}

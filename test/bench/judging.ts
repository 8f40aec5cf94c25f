/** Measures how well /market/best answers tasks. Somebody has listed the acceptable sellers of each by hand. */
import { readFileSync } from 'node:fs'
import { newestWhole, toParts } from '../../pipelines/domains/market/release.ts'
import { readItem } from '../../pipelines/sources/catalog/item.ts'
import type { MarketOffer } from '../../schemas/market-views.ts'
import { bestFor } from '../../services/origins/data/market/answers.ts'
import { openMarket } from '../../services/origins/data/market/on-sale.ts'
import { releaseOf } from '../services/origins/data/market/a-market.ts'

export interface Judged {
  task: string
  /** Empty: nobody sells this, so no seller is the right answer. */
  hosts: string[]
  /**
   * `tuned`: the rules were made with it in view. `apart`: it was first judged when they stood. Absent: older than both. The rules for
   * deeds and cases were made with `viewed` in view; of `unviewed`, written with it, only the figures were looked at. The rules for what is
   * wanted of a thing were made with all these and `opened` in view, and `last` was first judged when they stood. The rules for dealings and
   * formats were made with `orders` in view; of `ordersApart`, written with it, only the figures were looked at. The rules for what a task asks for
   * were made with `strict` in view, too; `strictApart`, written with it and before them, was judged when they stood; it was
   * in view for what was added then, and `fresh`, written before that, and `final` after it were judged once each.
   */
  set?:
    | 'tuned'
    | 'apart'
    | 'viewed'
    | 'unviewed'
    | 'opened'
    | 'last'
    | 'orders'
    | 'ordersApart'
    | 'strict'
    | 'strictApart'
    | 'fresh'
    | 'final'
}

const depth = 5

export const judgedTasks = (): Judged[] =>
  JSON.parse(readFileSync(new URL('judged-tasks.json', import.meta.url), 'utf8'))

/** A recorded page of the catalog. It holds no usage numbers, so every listing counts as paid by one wallet, once. */
export function recordedMarket(samples: string) {
  const file = `${samples}/f-bazaar/cdp-discovery-2026-03-shared-even.json`
  const { items } = JSON.parse(readFileSync(file, 'utf8')) as { items: unknown[] }
  const offers = new Map<string, MarketOffer>()
  for (const item of items) {
    const row = readItem(item)
    if (row && row.junk === null)
      offers.set(row.resource_key, {
        ...row,
        host: row.seller,
        calls: '1',
        payers: '1',
        probe_method: row.type === 'http' ? row.method || 'POST' : '',
        pay_tos: row.accepts.map(({ pay_to }) => pay_to),
        networks: row.accepts.map(({ network }) => network),
      })
  }
  const release = releaseOf([...offers.values()])
  const builtAt = release.snapshot
  return openMarket(newestWhole(toParts(JSON.stringify(release), { week: release.week, builtAt })))
}

export function judge(tasks: readonly Judged[], market: ReturnType<typeof openMarket>) {
  const answered = tasks.map(({ task, hosts }) => {
    const given = bestFor(task, depth, market).map(({ seller }) => seller.host)
    return { task, hosts, given, ndcg: ndcg(given, hosts) }
  })
  const [known, unknown] = [
    answered.filter(({ hosts }) => hosts.length),
    answered.filter(({ hosts }) => !hosts.length),
  ]
  return {
    answered,
    ndcg: known.reduce((sum, { ndcg }) => sum + ndcg, 0) / known.length,
    empty: known.filter(({ given }) => !given.length).length,
    known: known.length,
    /** Tasks that got an answer although nobody sells it. */
    guessed: unknown.filter(({ given }) => given.length).length,
    unknown: unknown.length,
  }
}

function ndcg(given: readonly string[], hosts: readonly string[]): number {
  const gain = (place: number) => 1 / Math.log2(place + 2)
  const got = given.reduce((sum, host, place) => sum + (hosts.includes(host) ? gain(place) : 0), 0)
  const most = hosts.slice(0, depth).reduce((sum, _, place) => sum + gain(place), 0)
  return most ? got / most : 0
}

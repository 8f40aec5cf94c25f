/** How did an x402 seller do, week by week? */

import { z } from 'zod'
import { catalogUpstream } from '../../../../pipelines/sources/catalog/upstream.ts'
import { type MarketSeller, sellerWeeks } from '../../../../schemas/market-weeks.ts'
import { sellerOf } from '../../../../schemas/values/resource-address.ts'
import { withoutEnd } from '../../../../schemas/values/text-end.ts'
import { exact } from '../../../../schemas/values/values.ts'
import { number } from '../../../offer/answer.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { perWallet } from './answers.ts'

const text = z.string()
const count = z.int()
const note =
  'Each week is as it was ranked then, over the 30 days before it, by the rules of its rule_version. Estimated revenue is calls times listed price, not money seen. A week that is not listed: the seller had no paid call, or no release was built.'

const weekAnswer = (week: MarketSeller) => ({
  week: week.week,
  rank: week.rank,
  est_revenue_30d_usd: number(plain(week.est_revenue_usd)),
  calls_30d: Number(week.calls),
  paying_wallets_max: Number(week.paying_wallets_max),
  calls_per_wallet: perWallet(Number(week.calls), Number(week.paying_wallets_max)),
  paid_endpoints: week.paid_endpoints,
  endpoint_count: week.endpoints,
  repeat_buyers: week.repeat_buyers,
  patterns: week.patterns.map(({ code }) => code),
  rule_version: week.rule_version,
})

/** The store writes money with all six decimals. */
const plain = (usd: string): string => (usd.includes('.') ? withoutEnd(withoutEnd(usd, '0'), '.') : usd)

export const marketHistory = defineOperation({
  id: 'x402SellerHistory',
  path: '/market/history',
  price: '0.02',
  inBrief: 'Rank, calls, wallets and estimated revenue of an x402 seller, week by week.',
  costs: 'looked up',
  sold: 'whole',
  title: 'The weeks of an x402 seller',
  about:
    'Rank, calls, paying wallets, estimated revenue, repeat buyers and labels of a host in every week that was ranked, the newest first. Shows whether a seller grows, fades or was there for a week only. A host that was never ranked is refused free.',
  tags: ['x402', 'market', 'seller', 'history'],
  request: z.strictObject({
    host: z.string().min(1).max(2048).describe('A hostname, or any URL on it'),
    weeks: z.int().min(1).max(520).default(52).describe('At most so many, the newest first'),
  }),
  response: z.strictObject({
    host: text,
    weeks: z.array(
      z.strictObject({
        week: text.describe('The ISO week'),
        rank: count,
        est_revenue_30d_usd: exact(),
        calls_30d: count,
        paying_wallets_max: count,
        calls_per_wallet: exact().nullable(),
        paid_endpoints: count,
        endpoint_count: count,
        repeat_buyers: z.boolean(),
        patterns: z.array(text),
        rule_version: text,
      }),
    ),
    count: count.describe('How many weeks are listed'),
    note: text,
  }),
  refusals: {
    invalid_host: { status: 400, about: 'The text is neither a hostname nor a URL' },
    unknown_seller: { status: 422, about: 'The host was never ranked' },
  },
  example: {
    request: { host: 'x402.twit.sh', weeks: 1 },
    response: {
      host: 'x402.twit.sh',
      weeks: [
        {
          week: '2026-W47',
          rank: 1,
          est_revenue_30d_usd: 52.1,
          calls_30d: 5210,
          paying_wallets_max: 142,
          calls_per_wallet: 36.69,
          paid_endpoints: 1,
          endpoint_count: 1,
          repeat_buyers: true,
          patterns: [],
          rule_version: 'v2',
        },
      ],
      count: 1,
      note,
    },
  },
  async answer({ host: typed, weeks: most }, { lookAll, credit }, refuse) {
    const host = sellerOf(typed)
    if (!host) return refuse('invalid_host', 'host is neither a hostname nor a URL')
    const weeks = await lookAll(sellerWeeks, host)
    if (!weeks.length) return refuse('unknown_seller', `${host} was never ranked`)
    const listed = weeks.slice(0, most).map(weekAnswer)
    return { host, weeks: listed, count: listed.length, note: credit(catalogUpstream, note) }
  },
})

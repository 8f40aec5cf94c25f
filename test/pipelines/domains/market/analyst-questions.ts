/** An analyst's questions about payments, sellers and weeks. Each is one statement and its expected rows. */
import { expect } from 'vitest'
import type { Listed } from './market-store.ts'
import type { Plant } from './planted.ts'

/** The planted market. The catalog of the first week lacks two sellers, and the second has them all. */
export interface Planted {
  plants: readonly Plant[]
  first: readonly Listed[]
  second: readonly Listed[]
}

interface Question {
  sql: string
  /** The parts of the answer that the planted market determines. */
  learns(market: Planted): Record<string, unknown>[]
}

const priceOf = ({ price }: Listed) => Number(price ?? '0.01')
const callsOf = (listed: readonly Listed[]) => listed.reduce((sum, { calls }) => sum + (calls ?? 0), 0)
const usdOf = (listed: readonly Listed[]) =>
  listed.reduce((sum, row) => sum + (row.calls ?? 0) * priceOf(row), 0)
const ranked = (listed: readonly Listed[]) => listed.toSorted((a, b) => usdOf([b]) - usdOf([a]))
const near = (value: number) => expect.closeTo(value, 6)

export const questions: Record<string, Question> = {
  'the first sellers of the newest week': {
    sql: `select rank, host, est_revenue_usd, calls, paying_wallets_max, repeat_buyers, arrayMap(p -> p.code, patterns) as labels
      from market_weeks where week = (select max(week) from market_weeks) order by rank limit 5`,
    learns: ({ second }) =>
      ranked(second)
        .slice(0, 5)
        .map((row, index) => ({
          rank: index + 1,
          host: row.host,
          calls: row.calls,
          est_revenue_usd: near(usdOf([row])),
        })),
  },
  'how the market went from week to week': {
    sql: `select week, count() as sellers, sum(calls) as calls, sum(est_revenue_usd) as est_revenue_usd, countIf(repeat_buyers) as with_returning_buyers
      from market_weeks group by week order by week`,
    learns: ({ first, second }) =>
      [first, second].map((listed, index) => ({
        week: ['2026-W47', '2026-W48'][index],
        sellers: listed.length,
        calls: callsOf(listed),
        est_revenue_usd: near(usdOf(listed)),
      })),
  },
  'who rose and who fell': {
    sql: `select host, groupArray(rank) as ranks, ranks[1] - ranks[-1] as places_won
      from (select host, week, rank from market_weeks order by host, week) group by host having length(ranks) > 1
      order by host`,
    learns: ({ first, second }) => {
      const places = ranked(second).map(({ host }) => host)
      return first
        .toSorted((a, b) => (a.host < b.host ? -1 : 1))
        .map(({ host }) => ({ host, ranks: [expect.any(Number), places.indexOf(host) + 1] }))
    },
  },
  'who is new this week': {
    sql: `select host, rank from market_weeks where week = (select max(week) from market_weeks)
        and host not in (select host from market_weeks where week < (select max(week) from market_weeks))
      order by rank`,
    learns: ({ first, second }) =>
      ranked(second).flatMap(({ host }, index) =>
        first.some(row => row.host === host) ? [] : [{ host, rank: index + 1 }],
      ),
  },
  'which labels were given on the word of the chain': {
    sql: `select p.code as label, count() as sellers
      from market_weeks array join patterns as p where week = (select max(week) from market_weeks) and p.witness = 'chain'
      group by label order by label`,
    learns: ({ plants }) =>
      [
        ...Map.groupBy(
          plants.flatMap(plant => plant.expect),
          label => label,
        ),
      ]
        .map(([label, sellers]) => ({ label, sellers: sellers.length }))
        .toSorted((a, b) => (a.label < b.label ? -1 : 1)),
  },
  'the numbers behind a label': {
    sql: `select host, JSONExtractInt(p.evidence, 'wallets') as wallets from market_weeks array join patterns as p
      where p.code = 'circular_funding' and week = (select max(week) from market_weeks) order by host`,
    learns: ({ plants }) =>
      plants
        .filter(({ kind }) => kind === 'circular')
        .map(({ listed, flows }) => ({ host: listed[0]?.host, wallets: flows[1]?.count })),
  },
  'the wash share of sellers who pay themselves, or send back what they are paid': {
    sql: `select host, toFloat64(chain_wash_usd) / toFloat64(chain_paid_usd) as share, multiIf(share > 0.9, 'most', share between 0.05 and 0.15, 'some', 'other') as wash
      from market_seller_weeks
      where (host like 'circular%' or host like 'self%') and week = (select max(week) from market_seller_weeks) order by host`,
    learns: ({ plants }) =>
      plants
        .filter(({ kind }) => kind === 'circular' || kind === 'self')
        .map(({ kind, listed }) => ({
          host: listed[0]?.host as string,
          wash: kind === 'self' ? 'some' : 'most',
        }))
        .toSorted((a, b) => (a.host < b.host ? -1 : 1)),
  },
  'payments and dollars by network': {
    sql: `select network, count() as payments, toFloat64(sum(amount)) as usdc from chain_payments
      where method != 'plain' group by network order by network`,
    learns: ({ plants }) => {
      const flows = plants.flatMap(plant => plant.flows).filter(({ method }) => method !== 'plain')
      return ['base', 'solana'].map(name => {
        const paid = flows.filter(({ network = 'base' }) => network === name)
        // Three more wallets pay each seller once, on the network of its first customers.
        const swept = plants.filter(plant => (plant.flows[0]?.network ?? 'base') === name).length * 3
        return {
          network: name,
          payments: paid.reduce((sum, { count }) => sum + count, swept),
          usdc: near(
            paid.reduce((sum, { count, amount }) => sum + count * Number(amount ?? '0.01'), swept * 0.01),
          ),
        }
      })
    },
  },
  'wallets that pay the most sellers': {
    sql: `select count() as sellers, sum(payments) as payments, any(sweeper) as counts_as_sweeper
      from market_payers group by payer order by sellers desc, payer limit 4`,
    learns: ({ plants: { length } }) => [
      ...Array.from({ length: 3 }, () => ({ sellers: length, payments: length, counts_as_sweeper: 1 })),
      { sellers: 1, counts_as_sweeper: 0 },
    ],
  },
  'how sure it is that buyers come back': {
    sql: `select host, returning, customers, round(returning / customers, 2) as share from market_chain
      where host like 'fixedprice%' order by host`,
    learns: ({ plants }) =>
      plants
        .filter(({ kind }) => kind === 'fixedprice')
        .map(({ listed }) => ({ host: listed[0]?.host, returning: 60, customers: 60, share: 1 })),
  },
  'what each category charges': {
    sql: `select category, count() as endpoints, toFloat64(max(price_usd)) as dearest_usd
      from market_endpoints where week = (select max(week) from market_weeks) group by category order by endpoints desc`,
    learns: ({ second }) => [
      { category: 'other', endpoints: second.length, dearest_usd: Math.max(...second.map(priceOf)) },
    ],
  },
  'which builds went on sale': {
    sql: 'select week, outcome, reasons, sellers, round(chain_coverage, 2) as read_on_chain from market_builds order by at',
    learns: ({ first, second }) =>
      [first, second].map(({ length }, index) => ({
        week: ['2026-W47', '2026-W48'][index],
        outcome: 'published',
        reasons: [],
        sellers: length,
        read_on_chain: 1,
      })),
  },
}

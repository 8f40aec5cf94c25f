/** Which x402 tools do others pay for this task, again and again? */
import { z } from 'zod'
import { disclosure, ranking } from '../../../../pipelines/domains/market/method.ts'
import { catalogUpstream } from '../../../../pipelines/sources/catalog/upstream.ts'
import { exact } from '../../../../schemas/values/values.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { bestFor, isOurs, perWallet, price } from './answers.ts'
import { marketOnSale, type SaleListing } from './on-sale.ts'
import { probeAnswer, probesIn } from './probes.ts'

const note =
  'paying_wallets_30d and calls_30d are the catalog’s counts of this endpoint. A caution says that a seller’s numbers look unusual; it proves nothing.'

export const marketBest = defineOperation({
  id: 'bestX402Tools',
  path: '/market/best',
  price: '0.01',
  inBrief: 'x402 tools for a task, ranked by paying wallets and returning buyers, with price and a probe.',
  costs: 'held',
  sold: 'Sold also where a probe is not known: `probe_note` says why.',
  title: 'The x402 tools that others pay for a task',
  about:
    'x402 endpoints that fit a task, ranked by paying wallets and by whether buyers come back, not by raw calls; one result per seller, with price, a caution where numbers look unusual, and an hourly probe of its 402; dead ones sink. The operator runs this ranking and also sells tools: ranked by the same rule, with no boost, and marked. A task without a match is refused free.',
  tags: ['x402', 'market', 'discovery', 'ranking'],
  request: z.strictObject({
    task: z
      .string()
      .trim()
      .min(3, 'at least 3 characters')
      .max(200, 'at most 200 characters')
      .describe('The task, in words'),
    limit: z.int().min(1).max(20).default(10),
  }),
  response: z.strictObject({
    task: z.string(),
    week: z.string(),
    results: z.array(
      z.strictObject({
        url: z.string(),
        host: z.string(),
        price_usd: exact().nullable(),
        paying_wallets_30d: z.int(),
        calls_30d: z.int(),
        calls_per_wallet: exact().nullable(),
        repeat_buyers: z.boolean(),
        description: z.string(),
        sold_by_tollkit: z.boolean().describe('The same as `sold_by_us`, by an older name'),
        sold_by_us: z.boolean().describe('true: the operator of this service sells it'),
        caution: z.string().nullable(),
        checked_at: z
          .string()
          .nullable()
          .describe('When it was last asked for its 402, unpaid; null: not in the last 3 hours'),
        alive: z
          .boolean()
          .nullable()
          .describe('true: it quoted; false: it failed, so it is ranked below the others; null: not known'),
        price_matches: z.boolean().nullable().describe('It quoted the listed price'),
        pay_to_matches: z.boolean().nullable().describe('It quoted listed addresses alone'),
        latency_ms: z.int().nullable(),
        probe_note: z.string().nullable().describe('Why it is not alive, or not known to be'),
      }),
    ),
    ranking: z.string().optional(),
    disclosure: z.string().optional(),
    note: z.string().optional(),
  }),
  refusals: { no_match: { status: 422, about: 'No listing fits the task' } },
  example: {
    request: { task: 'find Twitter accounts', limit: 1 },
    response: {
      task: 'find Twitter accounts',
      week: '2026-W47',
      results: [
        {
          url: 'https://x402.twit.sh/users/search',
          host: 'x402.twit.sh',
          price_usd: 0.01,
          paying_wallets_30d: 142,
          calls_30d: 5210,
          calls_per_wallet: 36.69,
          repeat_buyers: true,
          description: 'Search Twitter/X for user accounts matching a keyword or phrase.',
          sold_by_tollkit: false,
          sold_by_us: false,
          caution: null,
          checked_at: '2026-11-16T07:12:00.000Z',
          alive: true,
          price_matches: true,
          pay_to_matches: true,
          latency_ms: 182,
          probe_note: null,
        },
      ],
      ranking,
      disclosure,
      note,
    },
  },
  answer({ task, limit }, tools, refuse) {
    const { market } = marketOnSale(tools)
    const probeOf = probesIn(tools)
    const isDead = ({ endpoint }: SaleListing) => probeOf(endpoint.url)?.alive === false
    const listings = bestFor(task, limit, market, isDead)
    if (!listings.length)
      return refuse('no_match', 'No paid listing fits that task; other words may find one')
    return {
      task,
      week: market.content.week,
      results: listings.map(({ seller, endpoint }) => ({
        url: endpoint.url,
        host: seller.host,
        price_usd: price(endpoint.price_usd),
        paying_wallets_30d: endpoint.wallets,
        calls_30d: endpoint.calls,
        calls_per_wallet: perWallet(endpoint.calls, endpoint.wallets),
        repeat_buyers: endpoint.repeat,
        description: endpoint.description,
        sold_by_tollkit: isOurs(seller, market, tools.ownHosts),
        sold_by_us: isOurs(seller, market, tools.ownHosts),
        caution: seller.caution,
        ...probeAnswer(probeOf(endpoint.url)),
      })),
      ranking,
      disclosure,
      note: tools.credit(catalogUpstream, note),
    }
  },
})

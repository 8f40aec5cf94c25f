/** An invented market in a real ClickHouse: listings by hand, and payments by SQL over numbers(), always the same. */
import type { Store } from '../../../../pipelines/rails/store/store.ts'
import { chainPayments } from '../../../../schemas/chain-payments.ts'
import { chainRanges } from '../../../../schemas/chain-ranges.ts'
import type { Dataset } from '../../../../schemas/dataset/dataset.ts'
import { type MarketResource, marketResources } from '../../../../schemas/market-resources.ts'
import { marketSnapshots } from '../../../../schemas/market-snapshots.ts'
import { marketBuilds, marketEndpoints, marketWeeks } from '../../../../schemas/market-weeks.ts'
import { networks } from '../../../../schemas/tables/networks.ts'

export const snapshot = '2026-11-16T06:00:00.000Z'
export const marketDatasets = [
  marketResources,
  marketSnapshots,
  chainPayments,
  chainRanges,
  marketWeeks,
  marketEndpoints,
  marketBuilds,
] as unknown as Dataset[]

let version = 1n
const put = (store: Store, dataset: unknown, events: readonly object[]) =>
  store.insert(
    dataset as Dataset,
    events.map(event => ({ event: event as Record<string, unknown>, version: version++ })),
  )

/** Returns the SQL of the address for a name. The name is SQL too. */
export const addressOf = (name: string): string => `concat('0x', lower(hex(SHA1(${name}))))`

export interface Listed {
  host: string
  path?: string
  wallet?: string
  network?: 'base' | 'solana'
  price?: string | null
  calls?: number | null
  payers?: number | null
  description?: string | null
  tags?: string[]
  more?: Partial<MarketResource>
}

export function listing(
  { host, path = '/v1', wallet = '', network = 'base', price = '0.01', ...more }: Listed,
  at = snapshot,
): MarketResource {
  const { caip2, asset } = networks[network]
  return {
    snapshot: at,
    day: at.slice(0, 10),
    source: 'cdp',
    url: `https://${host}${path}`,
    tool: '',
    method: 'GET',
    resource_key: `${host}${path}|GET`,
    host,
    seller: host.replace(/^www\./, ''),
    type: 'http',
    x402_version: 2,
    accepts: [
      {
        scheme: 'exact',
        network: caip2,
        asset,
        amount: '10000',
        decimals: 6,
        price_usd: price,
        pay_to: wallet,
        fee_payer: '',
      },
    ],
    price_usd: price,
    price_is_max: false,
    service_name: null,
    description: more.description === undefined ? `Service of ${host}` : more.description,
    tags: more.tags ?? [],
    parameters: [],
    route_template: null,
    placeholder: false,
    curated: false,
    calls_30d: more.calls === undefined ? 30 : more.calls,
    payers_30d: more.payers === undefined ? 5 : more.payers,
    last_called_at: at,
    updated_at: at,
    junk: null,
    ...more.more,
  }
}

export async function putCatalog(
  store: Store,
  rows: readonly MarketResource[],
  at = snapshot,
): Promise<void> {
  await put(store, marketResources, rows)
  await put(store, marketSnapshots, [
    {
      snapshot: at,
      day: at.slice(0, 10),
      source: 'cdp',
      ended_at: at,
      total_first: rows.length,
      total_last: rows.length,
      items: rows.length,
      rated: rows.filter(({ calls_30d }) => calls_30d !== null).length,
      unread: 0,
      pages_sha256: '0'.repeat(64),
    },
  ])
}

/** The ingest has read the chain from August on, for every wallet. */
export const putRanges = (store: Store, to = '2026-11-16T05:00:00.000Z', from = '2026-08-01T00:00:00.000Z') =>
  put(
    store,
    chainRanges,
    (['base', 'solana'] as const).map(network => ({
      network,
      from_block: 1000,
      to_block: 9000,
      sellers_after: '2020-01-01T00:00:00.000Z',
      sellers_until: '2030-01-01T00:00:00.000Z',
      from_at: from,
      to_at: to,
      wallets: 1,
      payments: 0,
      plain: 0,
      unread: 0,
      last_hash: '',
    })),
  )

export interface Paid {
  /** The name of this flow, which no other may share. */
  flow: string
  count: number
  /** SQL over `number`: seconds from the first moment of the window. */
  at: string
  payer: string
  payTo: string
  amount?: string
  network?: 'base' | 'solana'
  method?: 'eip3009' | 'svm_exact' | 'plain'
}

/** Noise that repeats in every run: SQL of a number below `below`, which differs for every `number` and salt. */
export const noise = (salt: string, below: number | string): string =>
  `toUInt32(cityHash64(${salt}, number) % (${below}))`

export const day = 86_400

export async function putPayments(store: Store, flows: readonly Paid[]): Promise<void> {
  for (const { flow, count, at, payer, payTo, amount = '0.01', network = 'base', method } of flows)
    await store.query(
      `insert into chain_payments (network, at, tx, position, block, payer, pay_to, amount, asset, method, facilitator,
        nonce, provisional, withdrawn, version, is_deleted)
      select '${network}', toDateTime64('2026-10-17 00:00:00', 3, 'UTC') + (${at}) as at,
        lower(hex(sipHash128('${flow}', number))), 0, toUnixTimestamp(at), ${payer}, ${payTo}, toDecimal64(${amount}, 6), 'usdc',
        '${method ?? (network === 'base' ? 'eip3009' : 'svm_exact')}', 'settler', null, false, false, 1, 0
      from numbers(${count})`,
    )
}

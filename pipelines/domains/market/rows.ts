/** Reads the views for one release. */

import {
  type MarketChain,
  type MarketWindow,
  marketChain,
  marketOffers,
} from '../../../schemas/market-views.ts'
import { marketRules as rules } from '../../../schemas/tables/market-rules.ts'
import { type NetworkName, networks } from '../../../schemas/tables/networks.ts'
import type { OnchainNote } from '../../../schemas/values/market-release.ts'
import type { Store } from '../../rails/store/store.ts'
import type { Rows } from './assembly.ts'
import { type Chain, chainOf, Exact, largest } from './seller.ts'

interface Wallet {
  host: string
  network: NetworkName
  pay_to: string
  hosts: string
  covered: number | null
  read_until: string | null
  from_block: string | null
  to_block: string | null
}

export async function readRows(
  store: Store,
  { snapshot, as_of }: MarketWindow,
): Promise<{ rows: Rows; coverage: number }> {
  const offers = await store.read(marketOffers)
  const operators = await store.query<{ host: string; operator: string }>('select * from market_operators')
  const metrics = await store.read(marketChain)
  const wallets = await store.query<Wallet>(
    `select host, network, pay_to, hosts, coverage.covered as covered, coverage.read_until as read_until,
      coverage.from_block as from_block, coverage.to_block as to_block
    from market_wallets left join market_coverage as coverage using (network, named_since)
    order by host, network, pay_to settings join_use_nulls = 1`,
  )
  const known = await store.query<{ host: string }>(
    "select distinct seller as host from market_resources where seller != '' order by host",
  )
  const walletsOf = Map.groupBy(wallets, ({ host }) => host)
  const byHost = new Map(metrics.map(row => [row.host, row]))
  const readWhole = [...walletsOf].filter(([, own]) => own.every(isReadWhole))
  const rows: Rows = {
    snapshot,
    asOf: as_of,
    offers,
    operators: new Map(operators.map(({ host, operator }) => [host, operator])),
    walletHosts: new Map(
      [...walletsOf].map(([host, own]) => [host, largest(own.map(({ hosts }) => Number(hosts)))]),
    ),
    chains: new Map(
      readWhole.filter(([, own]) => own.every(isOwn)).map(([host]) => [host, seen(byHost.get(host))]),
    ),
    notes: new Map(readWhole.map(([host, own]) => [host, noteOf(own, byHost.get(host))])),
    known: known.map(({ host }) => host),
  }
  const coverage = wallets.length
    ? wallets.reduce((sum, { covered }) => sum + Number(covered ?? 0), 0) / wallets.length
    : 0
  return { rows, coverage }
}

const isOwn = ({ hosts }: Wallet): boolean => Number(hosts) === 1
const isReadWhole = ({ covered }: Wallet): boolean => Number(covered ?? 0) >= rules.chainCoverage

/** A wallet that was read and received nothing is also a fact. */
const seen = (row: MarketChain | undefined): Chain =>
  row
    ? chainOf(row)
    : {
        payments: 0,
        paid: new Exact(0),
        payers: 0,
        payersWithoutSweepers: 0,
        topPayments: 0,
        returning: 0,
        customers: 0,
        oneCall: 0,
        cv: 0,
        medianPayments: 0,
        beganTogether: 0,
        togetherAt: 0,
        firstAt: 0,
        selfPayments: 0,
        fundedPayers: 0,
        circular: new Exact(0),
        wash: new Exact(0),
        busiestHour: 0,
        busiestDay: 0,
        typicalPaid: 0,
        metronomeCv: undefined,
      }

function noteOf(wallets: readonly Wallet[], row: MarketChain | undefined): OnchainNote {
  const places = wallets.map(({ network, pay_to, from_block, to_block }) => {
    const { title, unit } = networks[network]
    return `${title} ${unit} ${from_block} to ${to_block}, USDC to ${pay_to}`
  })
  const until = wallets.map(({ read_until }) => read_until ?? '').sort()[0] as string
  const shared = wallets.find(wallet => !isOwn(wallet))
  return {
    checked: new Date(Date.parse(until) - 1).toISOString().slice(0, 10),
    note: shared
      ? `The declared wallet also receives for ${Number(shared.hosts) - 1} other sellers, so its payments cannot be told apart.`
      : `${row?.payments ?? 0} x402 payments by ${row?.payers ?? 0} wallets, ${new Exact(row?.paid ?? 0).toFixed(2)} USDC in all, were seen at the declared wallet in ${rules.windowDays} days.`,
    source: places.slice(0, 3).join('; '),
  }
}

/** The steps of a poll. Each returns its rows and the state after it. */
import { type ChainPayment, chainPayments } from '../../../../schemas/chain-payments.ts'
import { type ChainRange, chainRanges } from '../../../../schemas/chain-ranges.ts'
import { instant } from '../../../../schemas/values/values.ts'
import type { ChainHead, EvmReader } from '../../../domains/payments/evm/reader.ts'
import { metrics } from '../../../rails/metrics.ts'
import { emit, type PollPage } from '../../source.ts'
import { paymentOf, walletsBetween } from '../rows.ts'
import { beforeAll, type NamedWallets } from '../sellers.ts'
import { type BlockGap, confirmed, type EvmReadState, spansOf } from './state.ts'

export interface EvmStepSight {
  reader: EvmReader
  named: NamedWallets
  final: ChainHead
  latest: ChainHead
  signal: AbortSignal
}

/** Reads the next final blocks for every wallet. */
export async function forward(state: EvmReadState, sight: EvmStepSight): Promise<PollPage<EvmReadState>> {
  const gap = { from: state.next, to: sight.final.block, after: beforeAll, until: state.known }
  const { rows, range, end } = await finalRows(gap, sight)
  const { open, gone } = confirmed(state.provisional, rows, range.from_block, range.to_block)
  metrics.chainRead.set({ network: sight.reader.network }, end.atMs / 1000)
  return {
    events: [...asEvents([...gone, ...rows]), emit(chainRanges, range)],
    cursor: { ...state, next: end.block + 1, lastHash: end.hash, provisional: open },
  }
}

/** Reads blocks that the chain may still drop. A payment there is withdrawn when a later read does not find it. */
export async function provisional(state: EvmReadState, sight: EvmStepSight): Promise<PollPage<EvmReadState>> {
  const { reader, named, latest, signal } = sight
  const until = Math.min(latest.block, state.next + spansOf(reader.network).mostProvisional)
  const wallets = walletsBetween(named, beforeAll, state.known)
  const rows: ChainPayment[] = []
  for (let from = state.next; from <= until; ) {
    const { to, transfers } = await reader.read({ wallets, from, until }, signal)
    rows.push(
      ...transfers
        .filter(({ method }) => method !== 'plain')
        .map(transfer => paymentOf(reader.network, transfer, true)),
    )
    from = to + 1
  }
  // A payment may move to another block of the same second. It is the same fact, and its row is written again.
  const before = new Set(state.provisional.map(row => JSON.stringify(row)))
  const { open, gone } = confirmed(state.provisional, rows, state.next, until)
  const fresh = rows.filter(row => !before.has(JSON.stringify(row)))
  return { events: asEvents([...gone, ...fresh]), cursor: { ...state, provisional: [...open, ...rows] } }
}

/** Reads the first blocks of the first gap. */
export async function filled(state: EvmReadState, sight: EvmStepSight): Promise<PollPage<EvmReadState>> {
  const [gap, ...others] = state.gaps as [BlockGap, ...BlockGap[]]
  const { rows, range } = await finalRows(gap, sight)
  const whole = gap.after === beforeAll
  const { open, gone } = whole
    ? confirmed(state.provisional, rows, range.from_block, range.to_block)
    : { open: state.provisional, gone: [] }
  const left = range.to_block < gap.to ? [{ ...gap, from: range.to_block + 1 }] : []
  return {
    events: [...asEvents([...gone, ...rows]), emit(chainRanges, range)],
    cursor: { ...state, gaps: [...left, ...others], provisional: open },
  }
}

async function finalRows(
  { from, to: until, after, until: named }: BlockGap,
  { reader, named: all, signal }: EvmStepSight,
) {
  const wallets = walletsBetween(all, after, named)
  const { to, transfers } = await reader.read({ wallets, from, until }, signal)
  const [start, end] = [await reader.head(from, signal), await reader.head(to, signal)]
  const rows = transfers.map(transfer => paymentOf(reader.network, transfer, false))
  const plain = rows.filter(({ method }) => method === 'plain').length
  const range: ChainRange = {
    network: reader.network,
    from_block: from,
    to_block: to,
    sellers_after: after,
    sellers_until: named,
    from_at: instant(start.atMs),
    to_at: instant(end.atMs),
    wallets: wallets.length,
    payments: rows.length - plain,
    plain,
    unread: 0,
    last_hash: end.hash,
  }
  return { rows, range, end }
}

const asEvents = (rows: readonly ChainPayment[]) => rows.map(row => emit(chainPayments, row))

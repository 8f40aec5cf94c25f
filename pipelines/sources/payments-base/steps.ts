/** The steps of a poll of Base, each with the rows it brings and the state after it. */
import { type ChainPayment, chainPayments } from '../../../schemas/chain-payments.ts'
import { type ChainRange, chainRanges } from '../../../schemas/chain-ranges.ts'
import { instant } from '../../../schemas/values.ts'
import type { BaseReader, Head } from '../../chain/base-reader.ts'
import type { NamedWallets } from '../../chain/chains.ts'
import { metrics } from '../../metrics.ts'
import { paymentOf, walletsBetween } from '../../payment-rows.ts'
import { beforeAll } from '../../sellers.ts'
import { emit, type Page } from '../source.ts'
import { type Gap, type State, settled } from './state.ts'

export interface Sight {
  base: BaseReader
  named: NamedWallets
  final: Head
  latest: Head
  signal: AbortSignal
}

const mostProvisional = 2_000

/** The next blocks that are final, for every wallet. */
export async function forward(state: State, sight: Sight): Promise<Page<State>> {
  const gap = { from: state.next, to: sight.final.block, after: beforeAll, until: state.known }
  const { rows, range, end } = await finalRows(gap, sight)
  const { open, gone } = settled(state.provisional, rows, range.from_block, range.to_block)
  metrics.chainRead.set({ network: sight.base.network }, end.atMs / 1000)
  return {
    events: [...told([...gone, ...rows]), emit(chainRanges, range)],
    cursor: { ...state, next: end.block + 1, lastHash: end.hash, provisional: open },
  }
}

/** Blocks that may still go: payments are told already, and withdrawn should a later look not find them there. */
export async function provisional(state: State, sight: Sight): Promise<Page<State>> {
  const { base, named, latest, signal } = sight
  const until = Math.min(latest.block, state.next + mostProvisional)
  const wallets = walletsBetween(named, beforeAll, state.known)
  const rows: ChainPayment[] = []
  for (let from = state.next; from <= until; ) {
    const { to, transfers } = await base.read({ wallets, from, until }, signal)
    rows.push(
      ...transfers
        .filter(({ method }) => method !== 'plain')
        .map(transfer => paymentOf(base.network, transfer, true)),
    )
    from = to + 1
  }
  // A payment may move to another block of the same second: the same fact, told anew.
  const before = new Set(state.provisional.map(row => JSON.stringify(row)))
  const { open, gone } = settled(state.provisional, rows, state.next, until)
  const fresh = rows.filter(row => !before.has(JSON.stringify(row)))
  return { events: told([...gone, ...fresh]), cursor: { ...state, provisional: [...open, ...rows] } }
}

/** The first blocks of the first gap. */
export async function filled(state: State, sight: Sight): Promise<Page<State>> {
  const [gap, ...others] = state.gaps as [Gap, ...Gap[]]
  const { rows, range } = await finalRows(gap, sight)
  const whole = gap.after === beforeAll
  const { open, gone } = whole
    ? settled(state.provisional, rows, range.from_block, range.to_block)
    : { open: state.provisional, gone: [] }
  const left = range.to_block < gap.to ? [{ ...gap, from: range.to_block + 1 }] : []
  return {
    events: [...told([...gone, ...rows]), emit(chainRanges, range)],
    cursor: { ...state, gaps: [...left, ...others], provisional: open },
  }
}

async function finalRows({ from, to: until, after, until: named }: Gap, { base, named: all, signal }: Sight) {
  const wallets = walletsBetween(all, after, named)
  const { to, transfers } = await base.read({ wallets, from, until }, signal)
  const [start, end] = [await base.head(from, signal), await base.head(to, signal)]
  const rows = transfers.map(transfer => paymentOf(base.network, transfer, false))
  const plain = rows.filter(({ method }) => method === 'plain').length
  const range: ChainRange = {
    network: base.network,
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

const told = (rows: readonly ChainPayment[]) => rows.map(row => emit(chainPayments, row))

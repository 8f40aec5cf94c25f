/**
 * Makes one step through a window: it reads some transactions of one account, and says where the next step continues.
 */
import { type ChainPayment, chainPayments } from '../../../../schemas/chain-payments.ts'
import { type ChainRange, chainRanges } from '../../../../schemas/chain-ranges.ts'
import type { NetworkName } from '../../../../schemas/tables/networks.ts'
import { settlementSigners } from '../../../../schemas/tables/settlement-signers.ts'
import { instant } from '../../../../schemas/values/values.ts'
import type { SvmReader } from '../../../domains/payments/svm/reader.ts'
import { type Emitted, emit } from '../../source.ts'
import { paymentOf, walletsBetween } from '../rows.ts'
import { beforeAll, type NamedWallets } from '../sellers.ts'
import { type Final, slotMs, type Window } from './state.ts'

export interface SvmStepSight {
  reader: SvmReader
  named: NamedWallets
  final: Final
  signal: AbortSignal
}

export interface SvmStep {
  events: Emitted[]
  /** Undefined if the window was read to its end. */
  window: Window | undefined
  /** The transactions that were read, each with its slot. */
  told: Record<string, number>
}

/** After this many transactions their rows are written. */
const atOnce = 50
const processorsOf = (network: NetworkName): string[] =>
  Object.values(settlementSigners).flatMap(signers => signers[network] ?? [])

export async function step(
  window: Window,
  told: Record<string, number>,
  sight: SvmStepSight,
): Promise<SvmStep> {
  const { reader, named, signal } = sight
  const known = new Set(processorsOf(reader.network))
  const accounts = accountsOf(window, sight)
  const account = accounts.find(one => one >= window.account)
  if (account === undefined)
    return { events: [emit(chainRanges, rangeOf(window, sight))], window: undefined, told: {} }
  const before = account === window.account ? window.before : undefined
  const page = await reader.signatures(account, before, signal)
  const wanted = page.landed.filter(
    ({ signature, slot }) => slot >= window.from && slot <= window.to && told[mark(signature)] === undefined,
  )
  const taken = wanted.slice(0, atOnce)
  const rows: ChainPayment[] = []
  const read: Record<string, number> = {}
  for (const { signature, slot } of taken) {
    const transfers = await reader.transfers(signature, signal)
    if (!transfers) continue
    read[mark(signature)] = slot
    for (const transfer of transfers) {
      const ours = named.wallets.has(transfer.payTo) || named.wallets.has(transfer.payer)
      if (ours || (transfer.facilitator && known.has(transfer.facilitator)))
        rows.push(paymentOf(reader.network, transfer, false))
    }
  }
  const plain = rows.filter(({ method }) => method === 'plain').length
  const counted = {
    ...window,
    read: window.read + taken.length,
    unread: window.unread + taken.length - Object.keys(read).length,
    payments: window.payments + rows.length - plain,
    plain: window.plain + plain,
  }
  const goOn =
    wanted.length > taken.length
      ? taken.at(-1)?.signature
      : page.downTo >= window.from
        ? page.before
        : undefined
  const place = goOn ? { account, before: goOn } : { account: `${account} `, before: undefined }
  return { events: rows.map(row => emit(chainPayments, row)), window: { ...counted, ...place }, told: read }
}

/** Shortens a signature. The rest still identifies it within an hour. */
const mark = (signature: string) => signature.slice(0, 16)

/**
 * The accounts to read: those of sellers, and the processors. The lists of processors also show sellers that are in
 * no catalog yet.
 */
function accountsOf({ after, until }: Window, { reader, named }: SvmStepSight): string[] {
  const held = walletsBetween(named, after, until).flatMap(wallet => reader.accountOf(wallet) ?? [])
  return [...new Set([...held, ...(after === beforeAll ? processorsOf(reader.network) : [])])].sort()
}

/** A skipped slot has no block and no time, so times are computed from the newest slot. */
function rangeOf(window: Window, { reader, named, final }: SvmStepSight): ChainRange {
  const timeOf = (slot: number) => instant(Math.max(0, final.atMs - (final.slot - slot) * slotMs))
  return {
    network: reader.network,
    from_block: window.from,
    to_block: window.to,
    sellers_after: window.after,
    sellers_until: window.until,
    from_at: timeOf(window.from),
    to_at: timeOf(window.to),
    wallets: walletsBetween(named, window.after, window.until).length,
    payments: window.payments,
    plain: window.plain,
    unread: window.unread,
    last_hash: '',
  }
}

/**
 * Pays back on Solana. The message is whole before it is sent, its signature is its name, and it dies with its blockhash. Only after
 * the chain has shown that it is dead is another one made.
 */
import { networks, type SvmNetworkName } from '../../../../schemas/tables/networks.ts'
import type { SvmTrace } from '../../../../schemas/till-promises.ts'
import { Bounded } from '../../../rails/bounded.ts'
import { sha256 } from '../../../rails/signing/sha256.ts'
import { costsOf } from '../cost.ts'
import type { PaidSale, RefundChain, SalePayment } from '../refund.ts'
import type { Transfer } from '../transfer.ts'
import { openSvmFinder } from './finder.ts'
import { tokenAccount } from './payment.ts'
import { openSvmReader, timeoutMs } from './reader.ts'
import { memoOf, refundMemos } from './refund-memos.ts'
import { type Rpc, rpcOf } from './rpc.ts'
import { type FeePayer, feePayerOf, sponsored } from './sponsored.ts'
import { obstacleBetween } from './token-accounts.ts'
import { transferMessage } from './transfer-message.ts'

const limits = { units: 100_000, microLamports: 10_000 }
/** An account must keep this much to stay, and pay the fee beside it. */
const leastLamports = 900_000
const mostUnderWay = 1000
const perSecond = 10

interface Options {
  network: SvmNetworkName
  rpcUrls: readonly string[]
  key: string
  /** Addresses that paid refunds before this key. */
  former?: readonly string[]
  now: () => number
}

export function openSvmRefunds({ network, rpcUrls, key, former = [], now }: Options): RefundChain {
  const { asset, decimals } = networks[network]
  const payer = feePayerOf(key) as FeePayer
  const source = tokenAccount(payer.address, asset)
  const rpc = rpcOf(rpcUrls)
  const costOf = costsOf(network, rpcUrls)
  const nodes = rpcUrls.map(url => rpcOf([url]))
  const finder = openSvmFinder({ rpcUrls, now })
  const reader = openSvmReader({ network, rpcUrls, perSecond })
  const paidBefore = refundMemos({ rpc, reader, payers: [payer.address, ...former] })
  /** What this process may send again. Another process only looks. */
  const wires = new Bounded<string>({ most: mostUnderWay })

  return {
    address: payer.address,

    async payment(sale) {
      const moved = await reader.transfers(sale.tx, AbortSignal.timeout(timeoutMs))
      return moved ? paymentAmong(moved, sale) : 'pending'
    },

    async prepare(sale) {
      const { payer: to, amount, tx } = sale
      const before = await paidBefore(sale)
      if (before !== undefined) return before === 'unread' ? { obstacle: before } : before
      const destination = tokenAccount(to, asset)
      const between = { source, destination, owner: to, amount }
      const obstacle = (await obstacleBetween(rpc, between)) ?? (await gasObstacle(rpc, payer.address))
      if (obstacle) return { obstacle }
      const blockhash = await finder.recentBlockhash()
      const message = transferMessage({
        ...{ owner: payer.address, feePayer: payer.address, ...limits, source, mint: asset },
        // Without the memo two refunds of one amount to one payer could be one message. A log that was lost finds the refund by it.
        ...{ destination, amount, decimals, blockhash, memo: memoOf(tx) },
      })
      const { wire } = sponsored(Buffer.concat([Buffer.of(1), Buffer.alloc(64), message]), payer)
      const trace: SvmTrace = {
        network: networks[network].caip2,
        source,
        message_sha256: sha256(message),
        blockhash,
      }
      wires.set(trace.message_sha256, wire)
      return trace
    },

    async send(trace) {
      const wire = wires.ask((trace as SvmTrace).message_sha256)
      if (wire === undefined) return
      const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 }
      const sent = await Promise.allSettled(nodes.map(node => node('sendTransaction', wire, options)))
      // What a node says now decides nothing. Where none has taken it, somebody should know why.
      const failed = sent.find(one => one.status === 'rejected')
      if (failed && sent.every(one => one.status === 'rejected')) throw failed.reason
    },

    async endOf(trace, { thisMs }) {
      // A node that is behind calls a fresh blockhash invalid, so the age of this message counts, and of no other.
      const found = await finder.find(trace as SvmTrace, thisMs)
      if (found.found) return { tx: found.tx }
      const isDead = found.reason === 'expired' || found.reason === 'transaction_failed'
      return found.final && isDead ? 'dead' : 'open'
    },

    isFinal: tx => isFinal(rpc, tx),
    feeOf: async tx => (await costOf(tx))?.coins,
  }
}

async function gasObstacle(rpc: Rpc, address: string): Promise<'gas' | undefined> {
  const { value: lamports } = await rpc<{ value: number }>('getBalance', address)
  return lamports < leastLamports ? 'gas' : undefined
}

async function isFinal(rpc: Rpc, tx: string): Promise<boolean> {
  const options = { searchTransactionHistory: true }
  const { value } = await rpc<{ value: ({ confirmationStatus?: string; err: unknown } | null)[] }>(
    'getSignatureStatuses',
    [tx],
    options,
  )
  return value[0]?.confirmationStatus === 'finalized' && value[0].err === null
}

export function paymentAmong(moved: readonly Transfer[], sale: PaidSale): SalePayment {
  const own = moved.filter(
    ({ payer, payTo, amount }) => payer === sale.payer && payTo === sale.payTo && amount === sale.amount,
  )
  // A payment has one form on Solana, in which it is the only transfer.
  const [only, another] = own
  if (!only) return 'unpaid'
  return another ? 'several' : { position: only.position }
}

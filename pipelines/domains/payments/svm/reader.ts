/**
 * The one reader of payments on Solana: the signatures of an account, page by page, the movements of their transactions, and how sure
 * these are. The source of payments walks with it and keeps the cursor; finality asks it about its sales.
 */

import { networks, type SvmNetworkName } from '../../../../schemas/tables/networks.ts'
import { Bounded } from '../../../rails/bounded.ts'
import { UpstreamFailed } from '../../../rails/failures.ts'
import { Endpoints } from '../endpoints.ts'
import { isPlace, isTime, msOf } from '../head.ts'
import type { Transfer } from '../transfer.ts'
import { type PaymentTransaction, transfersIn } from './parsed-transaction.ts'
import { tokenAccount } from './payment.ts'
import { patientCall } from './rpc.ts'

export interface SvmReader {
  family: 'svm'
  network: SvmNetworkName
  /** The hash that identifies the chain, because the same address may later serve another chain. */
  genesis(signal: AbortSignal): Promise<string>
  /** The newest slot that is so sure, and its time. */
  head(commitment: 'confirmed' | 'finalized', signal: AbortSignal): Promise<{ slot: number; atMs: number }>
  /** Of each transaction, 256 at most. Undefined: the chain has not taken it, or it has failed. */
  statuses(signatures: readonly string[], signal: AbortSignal): Promise<(SvmStatus | undefined)[]>
  /** The account in which an owner holds USDC. Undefined if this name cannot own any. */
  accountOf(owner: string): string | undefined
  /** A page of the signatures of successful transactions, newest first. Pass its `before` to get the next page. */
  signatures(account: string, before: string | undefined, signal: AbortSignal): Promise<SignaturePage>
  /** The movements of a transaction. Undefined if the node cannot show it. */
  transfers(signature: string, signal: AbortSignal): Promise<Transfer[] | undefined>
}

export interface SvmStatus {
  confirmationStatus: 'processed' | 'confirmed' | 'finalized' | null
}

interface SignaturePage {
  landed: { signature: string; slot: number }[]
  /** The oldest slot that the page reaches. */
  downTo: number
  before: string | undefined
}

interface SvmReaderOptions {
  network: SvmNetworkName
  rpcUrls: readonly string[]
  perSecond: number
}

const pageSize = 1000
/** For one transaction, where no caller waits. */
export const timeoutMs = 20_000

export function openSvmReader({ network, rpcUrls, perSecond }: SvmReaderOptions): SvmReader {
  const { asset } = networks[network]
  const endpoints = new Endpoints({ network, urls: rpcUrls, perSecond })
  // A payment is in the lists of its seller and of its facilitator. One fetch serves both.
  const read = new Bounded<Transfer[]>({ most: 20_000 })
  const rpc = <T>(signal: AbortSignal, method: string, ...params: unknown[]) =>
    endpoints.ask(url => patientCall<T>(url, method, params, signal), signal)

  return {
    family: 'svm',
    network,

    genesis: signal => rpc<string>(signal, 'getGenesisHash'),

    async head(commitment, signal) {
      const slot = await rpc<number>(signal, 'getSlot', { commitment })
      const atMs = msOf(await rpc(signal, 'getBlockTime', slot))
      if (!isPlace(slot) || !isTime(atMs)) throw new UpstreamFailed('a node tells of a slot without time')
      return { slot, atMs }
    },

    async statuses(signatures, signal) {
      type Told = SvmStatus & { err: unknown }
      const options = { searchTransactionHistory: true }
      const { value } = await rpc<{ value: (Told | null)[] }>(
        signal,
        'getSignatureStatuses',
        signatures,
        options,
      )
      if (value.length !== signatures.length) throw new Error('getSignatureStatuses: not one status of each')
      return value.map(status => (status && status.err === null ? status : undefined))
    },

    accountOf(owner) {
      try {
        return tokenAccount(owner, asset)
      } catch {
        // A stranger wrote it. A text that is not a key has no account.
        return undefined
      }
    },

    async signatures(account, before, signal) {
      const landed = await rpc<{ signature: string; slot: number; err: unknown }[]>(
        signal,
        'getSignaturesForAddress',
        account,
        { limit: pageSize, commitment: 'finalized', ...(before && { before }) },
      )
      const last = landed.at(-1)
      return {
        landed: landed.filter(({ err }) => err === null).map(({ signature, slot }) => ({ signature, slot })),
        downTo: last?.slot ?? 0,
        before: landed.length < pageSize ? undefined : last?.signature,
      }
    },

    async transfers(signature, signal) {
      const known = read.ask(signature)
      if (known) return known
      const options = { encoding: 'jsonParsed', commitment: 'finalized', maxSupportedTransactionVersion: 1 }
      const found = await rpc<PaymentTransaction | null>(signal, 'getTransaction', signature, options)
      if (!found?.meta || found.blockTime === null) return undefined
      const transfers = transfersIn({ ...found, blockTime: found.blockTime }, asset)
      read.set(signature, transfers)
      return transfers
    },
  }
}

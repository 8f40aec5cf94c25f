/**
 * Finds the refund of a sale among the transactions of the accounts that pay refunds, by its memo. Solana takes any number of
 * transfers, so this is what stands between a log that was lost and a second refund.
 */

import type { PaidSale } from '../refund.ts'
import { type SvmReader, timeoutMs } from './reader.ts'
import type { Rpc } from './rpc.ts'

interface Needs {
  rpc: Rpc
  reader: Pick<SvmReader, 'transfers' | 'accountOf'>
  /** The owners of the accounts. */
  payers: readonly string[]
}

interface Listed {
  signature: string
  err: unknown
  blockTime: number | null
  /** The node's own words: the length of each memo, and the memo. */
  memo?: string | null
}

const pageSize = 1000
/** Anybody can send dust to an account. What is longer than this is for a person to look at: nothing is paid. */
const mostPages = 100
/** No refund is older than its sale, by the clock of the chain. */
const marginSeconds = 60

export const memoOf = (tx: string): string => `refund of ${tx}`

/** Undefined: no account has paid it. `unread`: nobody can tell. */
export function refundMemos({ rpc, reader, payers }: Needs) {
  async function paidFrom(
    payer: string,
    { tx, payer: to, amount }: PaidSale,
    sinceSecond: number,
  ): Promise<{ landed: string } | 'unread' | undefined> {
    const account = reader.accountOf(payer)
    let before: string | undefined
    for (let page = 0; account !== undefined && page < mostPages; page++) {
      const listed = await rpc<Listed[]>('getSignaturesForAddress', account, {
        ...{ limit: pageSize, commitment: 'confirmed', ...(before && { before }) },
      })
      for (const { signature, err, blockTime, memo } of listed) {
        if (blockTime !== null && blockTime < sinceSecond) return undefined
        before = signature
        if (err !== null || !memo?.includes(memoOf(tx))) continue
        const moved = await reader.transfers(signature, AbortSignal.timeout(timeoutMs))
        // It is not final yet, so nobody shows its transfers.
        if (!moved) return 'unread'
        // Strangers write memos, too. Only the owner moves what is in the account.
        if (moved.some(one => one.payer === payer && one.payTo === to && one.amount === amount))
          return { landed: signature }
      }
      if (listed.length < pageSize) return undefined
    }
    return account === undefined ? undefined : 'unread'
  }

  return async (sale: PaidSale): Promise<{ landed: string } | 'unread' | undefined> => {
    const [moved] = (await reader.transfers(sale.tx, AbortSignal.timeout(timeoutMs))) ?? []
    if (!moved) return 'unread'
    for (const payer of payers) {
      const found = await paidFrom(payer, sale, Math.floor(moved.atMs / 1000) - marginSeconds)
      if (found) return found
    }
    return undefined
  }
}

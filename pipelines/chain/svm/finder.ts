/** What the till asks of Solana: has the transfer of this message landed? */
import type { Finding } from '../finding.ts'
import { messageSha256 } from './payment.ts'

export interface SvmFinder {
  /** `sinceMs`: the message was not sent before this time, and its blockhash is older. */
  find(sent: Sent, sinceMs: number): Promise<Finding>
}

export interface Sent {
  source: string
  message_sha256: string
  blockhash: string
}

interface Life {
  context?: { slot: number }
  value: boolean
}

/** A blockhash lives for 150 blocks. After this time every node has seen it, so "not valid" means "no longer valid". */
const blockhashLifeMs = 90_000
const sinceMarginSeconds = 180
const pageSize = 100
const mostPages = 20

export interface SvmFinderOptions {
  /** The first that answers is believed. */
  rpcUrls: readonly string[]
  now: () => number
}

export function openSvmFinder({ rpcUrls, now }: SvmFinderOptions): SvmFinder {
  const rpc = <T>(method: string, ...params: unknown[]) => firstAnswer<T>(rpcUrls, method, params)

  async function messageOf(signature: string): Promise<string | undefined> {
    const options = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }
    const landed = await rpc<{ transaction: [string, string] } | null>('getTransaction', signature, options)
    return landed ? messageSha256(Buffer.from(landed.transaction[0], 'base64')) : undefined
  }

  return {
    async find({ source, message_sha256, blockhash }, sinceMs) {
      // This is asked before the scan, so that what lands in between is still found.
      const life =
        now() - sinceMs > blockhashLifeMs
          ? await rpc<Life>('isBlockhashValid', blockhash, { commitment: 'processed' })
          : undefined
      let dead = life?.value === false
      const minContextSlot = life?.context?.slot
      let before: string | undefined
      for (let page = 0; page < mostPages; page++) {
        const landed = await rpc<{ signature: string; err: unknown; blockTime: number | null }[]>(
          'getSignaturesForAddress',
          source,
          {
            limit: pageSize,
            commitment: 'confirmed',
            ...(before && { before }),
            // A node that is not as far as the one that calls the blockhash dead must not say what landed.
            ...(minContextSlot !== undefined && { minContextSlot }),
          },
        )
        for (const { signature, err, blockTime } of landed) {
          if (blockTime !== null && blockTime < sinceMs / 1000 - sinceMarginSeconds)
            return { found: false, final: dead, reason: dead ? 'expired' : 'not_seen' }
          const message = await messageOf(signature)
          // The node names a transaction that it does not show: it may be this one.
          if (message === undefined) dead = false
          if (message !== message_sha256) continue
          return err === null
            ? { found: true, tx: signature }
            : { found: false, final: true, reason: 'transaction_failed' }
        }
        before = landed.at(-1)?.signature
        if (landed.length < pageSize)
          return { found: false, final: dead, reason: dead ? 'expired' : 'not_seen' }
      }
      return { found: false, final: false, reason: 'too_many_transactions' }
    },
  }
}

async function firstAnswer<T>(urls: readonly string[], method: string, params: unknown[]): Promise<T> {
  const silent: unknown[] = []
  for (const url of urls) {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.timeout(4000),
      })
      const reply = (await response.json()) as { result?: T; error?: { message?: string } }
      if (reply.result === undefined) throw new Error(`${method}: ${reply.error?.message ?? response.status}`)
      return reply.result
    } catch (error) {
      // The world fails: the next node is asked. The caller hears of it when no node answers.
      silent.push(error)
    }
  }
  throw new AggregateError(silent, `no Solana node answers ${method}`)
}

/** The till's question to Solana: has the transfer of this message landed? */
import { Bounded } from '../../../rails/bounded.ts'
import type { Finding } from '../finder.ts'
import { type IsBefore, isBeforeOf } from './before.ts'
import { isNewer, messageSha256, transferPlace } from './payment.ts'
import { NewerVersion, rpcOf } from './rpc.ts'

export interface SvmFinder {
  /** `sinceMs`: the message was not sent before this time, and its blockhash is older. `tx`: it may be that transaction. */
  find(sent: Sent, sinceMs: number, tx?: string): Promise<Finding>
  /** A blockhash that the chain takes for about a minute. Rejects if the node tells none. */
  recentBlockhash(): Promise<string>
  /** Whether the chain still takes messages with this blockhash. */
  isLive(blockhash: string): Promise<boolean>
  /** What a token account holds, in the smallest unit; 0 where there is none. */
  heldBy(account: string): Promise<bigint>
}

/** The place of the amount in a token account, behind its mint and its owner. */
const amountAt = 64
/** 32 bytes in base58. */
const form = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

export interface Sent {
  source: string
  message_sha256: string
  blockhash: string
}

interface Life {
  context?: { slot: number }
  value: boolean
}

interface Listed {
  signature: string
  err: unknown
  blockTime: number | null
}

interface Landed {
  transaction: [string, string]
  blockTime: number | null
  meta: { err: unknown } | null
}

/** One read of an account's list of transactions, from the newest back to the promise. It may take several looks. */
interface Reading {
  before: string | undefined
  /** Whether the message was dead before the first page was requested. Otherwise it could still land in between. */
  dead: boolean
  slot: number | undefined
}

/** A blockhash lives for 150 blocks. After this time every node has seen it, so "not valid" means "no longer valid". */
const blockhashLifeMs = 90_000
const pageSize = 100
/** The calls of one look. Anybody can send dust to an account, so the next look continues at the same place. */
const mostCalls = 60
const mostReadings = 10_000
const asBytes = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 1 }
/** The messages that were fetched before. */
const mostMessages = 20_000
/** In place of a message: the transaction has a version that we never take. */
const notOurs = 'a newer version'

interface SvmFinderOptions {
  /** The first node that answers is believed. */
  rpcUrls: readonly string[]
  now: () => number
}

/** Fetches transactions, and remembers the message of each. */
function transactionsOf(rpc: ReturnType<typeof rpcOf>) {
  const messages = new Bounded<string>({ most: mostMessages })

  async function fetched(signature: string) {
    const landed = await rpc<Landed | null>('getTransaction', signature, asBytes).catch(error => {
      if (!(error instanceof NewerVersion)) throw error
      messages.set(signature, notOurs)
      return undefined
    })
    if (landed === undefined) return { message: notOurs, err: undefined, blockTime: null }
    const bytes = landed && Buffer.from(landed.transaction[0], 'base64')
    const message = bytes && (isNewer(bytes) ? notOurs : messageSha256(bytes))
    if (message) messages.set(signature, message)
    return landed && { message, err: landed.meta?.err, blockTime: landed.blockTime }
  }

  return { messages, fetched }
}

export function openSvmFinder({ rpcUrls, now }: SvmFinderOptions): SvmFinder {
  const rpc = rpcOf(rpcUrls)
  const { messages, fetched } = transactionsOf(rpc)
  const readings = new Bounded<Reading>({ most: mostReadings })

  /** Undefined if the node does not show it as the transaction of this message. */
  async function named(tx: string, sent: Sent, isBefore: IsBefore): Promise<Finding | undefined> {
    const landed = await fetched(tx)
    if (landed?.message !== sent.message_sha256 || landed.err === undefined) return undefined
    return endedBy({ signature: tx, err: landed.err, blockTime: landed.blockTime }, isBefore)
  }

  const lifeOf = (blockhash: string) => rpc<Life>('isBlockhashValid', blockhash, { commitment: 'processed' })

  /** First asks whether the message is still alive, and then begins at the newest transaction. */
  async function begun({ blockhash }: Sent, sinceMs: number): Promise<Reading> {
    const life = now() - sinceMs > blockhashLifeMs ? await lifeOf(blockhash) : undefined
    return { before: undefined, dead: life?.value === false, slot: life?.context?.slot }
  }

  const page = ({ before, slot }: Reading, source: string): Promise<Listed[]> =>
    rpc('getSignaturesForAddress', source, {
      limit: pageSize,
      commitment: 'confirmed',
      ...(before && { before }),
      // A node behind the one that calls the blockhash dead must not decide whether the message landed.
      ...(slot !== undefined && { minContextSlot: slot }),
    })

  async function readOn(reading: Reading, sent: Sent, isBefore: IsBefore): Promise<Finding> {
    let calls = 0
    for (;;) {
      if (calls++ >= mostCalls) return stillReading(sent, reading)
      const landed = await page(reading, sent.source)
      for (const listed of landed) {
        if (await isBefore(listed)) return nothing(reading)
        if (messages.peek(listed.signature) === undefined) {
          if (calls++ >= mostCalls) return stillReading(sent, reading)
          // The node lists a transaction but does not show it: it may be this one.
          if (!(await fetched(listed.signature))?.message) reading.dead = false
        }
        if (messages.peek(listed.signature) === sent.message_sha256) return endedBy(listed, isBefore)
        reading.before = listed.signature
      }
      if (landed.length < pageSize) return nothing(reading)
    }
  }

  function stillReading({ message_sha256 }: Sent, reading: Reading): Finding {
    readings.set(message_sha256, reading)
    return { found: false, final: false, reason: 'still_reading' }
  }

  return {
    heldBy: account => heldBy(rpc, account),
    recentBlockhash: () => recentBlockhash(rpc),
    isLive: async blockhash => (await lifeOf(blockhash)).value,
    async find(sent, sinceMs, tx) {
      const isBefore = isBeforeOf({ rpc, now }, sinceMs)
      const said = tx === undefined ? undefined : await named(tx, sent, isBefore)
      if (said) return said
      const reading = readings.peek(sent.message_sha256) ?? (await begun(sent, sinceMs))
      readings.delete(sent.message_sha256)
      return readOn(reading, sent, isBefore)
    },
  }
}

async function recentBlockhash(rpc: ReturnType<typeof rpcOf>): Promise<string> {
  const { value } = await rpc<{ value?: { blockhash?: unknown } }>('getLatestBlockhash', {
    commitment: 'confirmed',
  })
  const { blockhash } = value ?? {}
  if (typeof blockhash !== 'string' || !form.test(blockhash)) throw new Error('the node tells no blockhash')
  return blockhash
}

async function heldBy(rpc: ReturnType<typeof rpcOf>, account: string): Promise<bigint> {
  const { value } = await rpc<{ value: { data: [string, string] } | null }>('getAccountInfo', account, {
    encoding: 'base64',
    commitment: 'confirmed',
  })
  return value ? Buffer.from(value.data[0], 'base64').readBigUInt64LE(amountAt) : 0n
}

const nothing = ({ dead }: Reading): Finding => ({
  found: false,
  final: dead,
  reason: dead ? 'expired' : 'not_seen',
})

async function endedBy(landed: Listed, isBefore: IsBefore): Promise<Finding> {
  if (landed.err !== null) return { found: false, final: true, reason: 'transaction_failed' }
  if (await isBefore(landed)) return { found: false, final: true, reason: 'spent_before' }
  return { found: true, tx: landed.signature, position: transferPlace }
}

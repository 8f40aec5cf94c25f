/** Solana as the till sees it: what a payment's transaction says, and whether its transfer has landed. */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { PublicKey, VersionedMessage } from '@solana/web3.js'
import type { Look } from './look.ts'

const tokenProgram = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const tokenAccountProgram = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
const computeBudgetProgram = 'ComputeBudget111111111111111111111111111111'
const transferChecked = 12
/** Of an Ed25519 public key in SPKI form, all but the key. */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex')

/** The account in which an owner holds a token. */
export const tokenAccount = (owner: string, mint: string): string =>
  PublicKey.findProgramAddressSync(
    [new PublicKey(owner).toBuffer(), tokenProgram.toBuffer(), new PublicKey(mint).toBuffer()],
    tokenAccountProgram,
  )[0].toBase58()

export interface TokenTransfer {
  /** Signatures aside: one payment is one message, however its fee payer signs. */
  messageSha256: string
  blockhash: string
  feePayer: string
  payer: string
  source: string
  mint: string
  destination: string
  amount: bigint
  /** The payer's signature is there and holds. */
  signed: boolean
}

function parts(transaction: Uint8Array): { signatures: Uint8Array[]; message: Uint8Array } | undefined {
  const count = transaction[0] ?? 0
  const end = 1 + 64 * count
  // A count over 127 takes a second byte, and a transaction holds 19 signatures at most.
  if (count < 1 || count > 19 || end >= transaction.length) return undefined
  const signatures = Array.from({ length: count }, (_, i) => transaction.subarray(1 + 64 * i, 65 + 64 * i))
  return { signatures, message: transaction.subarray(end) }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Of what the signatures sign; undefined where these bytes are no transaction. */
export function messageSha256(transaction: Uint8Array): string | undefined {
  const split = parts(transaction)
  return split && sha256(split.message)
}

/** The shape of x402's `exact`: two compute budget instructions, TransferChecked, then up to four others. */
export function readTransfer(transaction: Uint8Array): TokenTransfer | undefined {
  const split = parts(transaction)
  if (!split) return undefined
  let message: VersionedMessage
  try {
    message = VersionedMessage.deserialize(split.message)
  } catch {
    // The payer typed it: whatever the parser chokes on is not a payment.
    return undefined
  }
  const { staticAccountKeys: accounts, compiledInstructions: instructions, header } = message
  const [limit, price, transfer] = instructions
  if (!limit || !price || !transfer || instructions.length > 7) return undefined
  if (split.signatures.length !== header.numRequiredSignatures) return undefined
  // A durable nonce would stand first, and let the transaction outlive its blockhash.
  for (const { programIdIndex } of [limit, price])
    if (accounts[programIdIndex]?.toBase58() !== computeBudgetProgram) return undefined
  if (!accounts[transfer.programIdIndex]?.equals(tokenProgram)) return undefined
  const data = Buffer.from(transfer.data)
  if (data.length !== 10 || data[0] !== transferChecked || transfer.accountKeyIndexes.length !== 4)
    return undefined
  const [source, mint, destination, payer] = transfer.accountKeyIndexes.map(i => accounts[i])
  const payerIndex = transfer.accountKeyIndexes[3] as number
  const feePayer = accounts[0]
  if (!source || !mint || !destination || !payer || !feePayer) return undefined
  const signature = split.signatures[payerIndex]
  return {
    messageSha256: sha256(split.message),
    blockhash: message.recentBlockhash,
    feePayer: feePayer.toBase58(),
    payer: payer.toBase58(),
    source: source.toBase58(),
    mint: mint.toBase58(),
    destination: destination.toBase58(),
    amount: data.readBigUInt64LE(1),
    signed: signature !== undefined && holds(payer, split.message, signature),
  }
}

const holds = (signer: PublicKey, message: Uint8Array, signature: Uint8Array): boolean =>
  verify(
    null,
    message,
    createPublicKey({
      key: Buffer.concat([ed25519Prefix, signer.toBuffer()]),
      format: 'der',
      type: 'spki',
    }),
    signature,
  )

export interface Solana {
  /** `sinceMs`: it was not sent before; its blockhash is older. */
  transferOf(sent: Sent, sinceMs: number): Promise<Look>
}

export interface Sent {
  source: string
  message_sha256: string
  blockhash: string
}

/** A blockhash lives 150 blocks; by then every node has seen it, so that "not valid" can only mean "no longer". */
const blockhashLifeMs = 90_000
const sinceMarginSeconds = 180
const pageSize = 100
const mostPages = 20

export function openSolana({ rpcUrls, now }: { rpcUrls: readonly string[]; now: () => number }): Solana {
  const rpc = <T>(method: string, ...params: unknown[]) => firstAnswer<T>(rpcUrls, method, params)

  async function messageOf(signature: string): Promise<string | undefined> {
    const options = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }
    const landed = await rpc<{ transaction: [string, string] } | null>('getTransaction', signature, options)
    return landed ? messageSha256(Buffer.from(landed.transaction[0], 'base64')) : undefined
  }

  return {
    async transferOf({ source, message_sha256, blockhash }, sinceMs) {
      // Asked before the scan, so that what lands in between is still found.
      const dead =
        now() - sinceMs > blockhashLifeMs &&
        !(await rpc<{ value: boolean }>('isBlockhashValid', blockhash, { commitment: 'processed' })).value
      let before: string | undefined
      for (let page = 0; page < mostPages; page++) {
        const landed = await rpc<{ signature: string; err: unknown; blockTime: number | null }[]>(
          'getSignaturesForAddress',
          source,
          { limit: pageSize, commitment: 'confirmed', ...(before ? { before } : {}) },
        )
        for (const { signature, err, blockTime } of landed) {
          if (blockTime !== null && blockTime < sinceMs / 1000 - sinceMarginSeconds)
            return { found: false, final: dead, reason: dead ? 'expired' : 'not_seen' }
          if ((await messageOf(signature)) !== message_sha256) continue
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
      // The world fails: the next node is asked, and who asked hears it when none answers.
      silent.push(error)
    }
  }
  throw new AggregateError(silent, `no Solana node answers ${method}`)
}

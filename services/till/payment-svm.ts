/** A partially signed Solana transaction, read far enough to know that it pays. */
import { messageSha256, readTransfer, tokenAccount } from '../../pipelines/chain/solana.ts'
import { strictBase64, unfit } from './given.ts'
import type { CheckTools, Found } from './payment.ts'
import type { Offer } from './quote.ts'
import { sha256 } from './sha256.ts'

/** What a Solana packet carries. */
const transactionLimitBytes = 1232
/** A blockhash lives about a minute; nothing shorter is known of a transaction's life. */
const lifeMs = 150_000

const destinations = new Map<string, string>()
function destinationOf({ payTo, asset }: Offer): string {
  const key = `${payTo} ${asset}`
  const known = destinations.get(key) ?? tokenAccount(payTo, asset)
  destinations.set(key, known)
  return known
}

const spendOf = (network: string, message: string) => sha256(`${network}|${message}`)

export function spendOfSvm(network: string, transaction: Uint8Array): string | undefined {
  const message = messageSha256(transaction)
  return message === undefined ? undefined : spendOf(network, message)
}

export async function checkSvm(
  payload: Record<string, unknown>,
  offer: Offer,
  { now }: CheckTools,
): Promise<Found> {
  const { transaction } = payload
  if (typeof transaction !== 'string' || !strictBase64.test(transaction))
    throw unfit('transaction is not base64')
  const bytes = Buffer.from(transaction, 'base64')
  const transfer = bytes.length <= transactionLimitBytes ? readTransfer(bytes) : undefined
  if (!transfer) throw unfit('transaction is not one transfer of a token')
  if (transfer.feePayer !== offer.extra.feePayer) throw unfit('the fee payer is not that of the offer')
  if (transfer.payer === transfer.feePayer) throw unfit('the fee payer cannot be the payer')
  if (transfer.mint !== offer.asset) throw unfit('the token is not the asset')
  if (transfer.destination !== destinationOf(offer)) throw unfit('the destination is not that of payTo')
  if (transfer.amount !== BigInt(offer.amount)) throw unfit('the amount is not that of the offer')
  if (!transfer.signed) throw unfit('the signature is not that of the payer')
  return {
    payer: transfer.payer,
    spendId: spendOf(offer.network, transfer.messageSha256),
    payload: { transaction },
    trace: {
      chain: 'solana',
      network: offer.network,
      source: transfer.source,
      message_sha256: transfer.messageSha256,
      blockhash: transfer.blockhash,
    },
    expiresAt: Number.POSITIVE_INFINITY,
    deadAt: now() + lifeMs,
    proven: true,
  }
}

/** Solana: reads a partially signed transaction, far enough to know that it pays. */
import type { SvmFinder } from '../../../pipelines/domains/payments/svm/finder.ts'
import {
  messageSha256,
  readTransfer,
  type TokenTransfer,
  tokenAccount,
} from '../../../pipelines/domains/payments/svm/payment.ts'
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import { networks, type SvmNetworkName } from '../../../schemas/tables/networks.ts'
import type { SvmTrace } from '../../../schemas/till-promises.ts'
import { strictBase64 } from '../header.ts'
import { unfit } from '../payment-failures.ts'
import type { PaymentOffer } from '../till.ts'
import type { Scheme } from './scheme.ts'

/** The size of a Solana packet. */
const transactionLimitBytes = 1232
/** In base64, with room. */
const longestText = 2 * transactionLimitBytes
/** A blockhash lives for about a minute. The transaction itself says nothing about its life. */
const lifeMs = 150_000

const destinations = new Map<string, string>()
function destinationOf({ payTo, asset }: Pick<PaymentOffer, 'payTo' | 'asset'>): string {
  const key = `${payTo} ${asset}`
  const known = destinations.get(key) ?? tokenAccount(payTo, asset)
  destinations.set(key, known)
  return known
}

const sources = new Bounded<string>({ most: 10_000 })
/**
 * Is the payer's own account the source, as with every client? A delegate moves another's dollars, so a refund or an answer would
 * go to the wrong person.
 */
function isOwn({ payer, source, mint }: TokenTransfer): boolean {
  const own = sources.ask(`${payer} ${mint}`) ?? tokenAccount(payer, mint)
  sources.set(`${payer} ${mint}`, own)
  return source === own
}

function transferIn(transaction: unknown): TokenTransfer | undefined {
  if (typeof transaction !== 'string' || transaction.length > longestText) return undefined
  return readTransfer(Buffer.from(transaction, 'base64'))
}

function plainOf({ transaction }: Record<string, unknown>): Record<string, unknown> | undefined {
  const isStrict = typeof transaction === 'string' && strictBase64.test(transaction)
  return isStrict && transferIn(transaction) ? { transaction } : undefined
}

interface SvmOptions {
  network: SvmNetworkName
  finder: SvmFinder
  now: () => number
}

export function svmScheme({ network, finder, now }: SvmOptions): Scheme<SvmTrace> {
  const { caip2, asset, receipt } = networks[network]
  const idOf = (messageSha256: string) => sha256(`${caip2}|${messageSha256}`)

  return {
    network: receipt,
    longestLifeMs: lifeMs,

    async check({ transaction }, offer) {
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
      if (!isOwn(transfer)) throw unfit('the source is not the token account of the payer')
      return {
        payer: transfer.payer,
        spendId: idOf(transfer.messageSha256),
        payload: { transaction },
        trace: {
          network: caip2,
          source: transfer.source,
          message_sha256: transfer.messageSha256,
          blockhash: transfer.blockhash,
        },
        expiresAt: Number.POSITIVE_INFINITY,
        deadAt: now() + lifeMs,
        firstDeadAt: now(),
        proven: true,
        // A failed simulation may come from the transfer itself: it may have landed before.
        settlesSurely: false,
        // A sure no needs a dead blockhash, and that takes too long to wait for.
        patienceMs: 15_000,
      }
    },

    spendOf({ transaction }) {
      if (typeof transaction !== 'string' || transaction.length > longestText) return undefined
      const message = messageSha256(Buffer.from(transaction, 'base64'))
      return message === undefined ? undefined : idOf(message)
    },

    past({ transaction }) {
      const transfer = transferIn(transaction)
      // Another token was never taken.
      if (transfer?.mint !== asset) return undefined
      const { source, messageSha256: message_sha256, blockhash } = transfer
      return {
        trace: { network: caip2, source, message_sha256, blockhash },
        sinceMs: 0,
        deadAt: undefined,
        // A payment from another account is never taken, and a busy account would cost our nodes much.
        isSigned: () => transfer.signed && (isOwn(transfer) || undefined),
        pays: payTo => transfer.destination === destinationOf({ payTo, asset }),
      }
    },

    plain: plainOf,
    heldBy: ({ source }) => finder.heldBy(source),
    recentBlockhash: () => finder.recentBlockhash(),
    isLive: ({ blockhash }) => finder.isLive(blockhash),
    find: (trace, sinceMs, tx) => finder.find(trace, sinceMs, tx),
  }
}

/** Tells a payer why his payment was refused: with his wallet, what it holds and what is asked, where a node tells that in time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fromAtoms } from '../../../schemas/tables/stablecoins.ts'
import { type ErrorCode, Failure } from '../../offer/errors.ts'
import { notSettled } from '../receipt.ts'
import type { Schemes } from '../schemes/scheme.ts'
import type { Sale } from '../till.ts'
import { Looks } from './looks.ts'

/** The looks of one caller. Wallets cost nothing, and a refusal costs a node one call. */
const fundsAtOnce = 2
const fundsAMinute = 30
/** A refusal waits no longer for a node. */
const waitMs = 2000

/** A facilitator of Solana tries the transfer, so it often cannot say what is wrong with it. */
const mayBeFunds: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['insufficient_funds', 'payment_rejected'])

export type Unpaid = (sale: Sale, code: ErrorCode, headers?: Record<string, string>) => Promise<Failure>

export function unpaidOf({ schemes, now }: { schemes: Schemes; now: () => number }): Unpaid {
  const looks = new Looks(now, { atOnce: fundsAtOnce, aMinute: fundsAMinute })

  /** Undefined if no node tells. */
  async function heldBy({ caller, payment: { trace } }: Sale): Promise<bigint | undefined> {
    const scheme = schemes.get(trace.network)
    const over = new AbortController()
    const late = sleep(waitMs, undefined, { signal: over.signal, ref: false }).catch(() => undefined)
    // A silent node tells nothing, and the refusal stands without it.
    const asked = looks.look(caller, async () => scheme?.heldBy(trace)).catch(() => undefined)
    try {
      return (await Promise.race([asked, late])) ?? undefined
    } finally {
      over.abort()
    }
  }

  return async (sale, code, headers = {}) => {
    const { offer, payer, network } = sale.payment
    const held = mayBeFunds.has(code) ? await heldBy(sale) : undefined
    const isShort = held !== undefined && held < BigInt(offer.amount)
    const told = isShort ? 'insufficient_funds' : code
    const why = isShort
      ? `The wallet ${payer} holds ${dollars(held)} USDC on ${network}, and the call costs ${dollars(BigInt(offer.amount))}`
      : undefined
    return new Failure(told, why, { ...headers, ...notSettled(offer.network, payer, told) })
  }
}

/** Of USDC, on every network. */
const usdcDecimals = 6
export const dollars = (atoms: bigint): string => fromAtoms(atoms, usdcDecimals)

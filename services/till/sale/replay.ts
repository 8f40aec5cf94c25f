/** Gives a key its paid answer again, for ten minutes, on any instance and free. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import type { Purchase } from '../ledger/purchase.ts'
import { answerUnread, inUse } from '../payment-failures.ts'
import { soldWith } from '../receipt.ts'
import { type Asking, nobody, type SaleItem, type Sold } from '../till.ts'
import type { Allowance } from './allowance.ts'
import { caughtUp, type ReservationParts } from './reservation.ts'

/** A key also binds path and question: with another question it is another call. */
export const keyOf = (idempotencyKey: string, path: string, question: string): string =>
  sha256(JSON.stringify(['key', idempotencyKey, path, question]))

/** The payment-identifier extension keeps its answer in the same place, for the one payment that carries it. */
const identifierOf = (id: string, path: string): string => sha256(JSON.stringify(['identifier', id, path]))

/** The keys of a sale's answer, always in this order. */
export function keysOf(
  { idempotencyKey, product, question }: Asking,
  paymentIdentifier: string | undefined,
): string[] {
  return [
    ...(idempotencyKey === undefined || question === undefined
      ? []
      : [keyOf(idempotencyKey, product.path, question)]),
    ...(paymentIdentifier === undefined ? [] : [identifierOf(paymentIdentifier, product.path)]),
  ]
}

/** An Idempotency-Key alone gets its answer. A payment identifier needs its own payment too. */
export const isBearer = (key: string, { idempotencyKey, product, question }: Asking): boolean =>
  idempotencyKey !== undefined &&
  question !== undefined &&
  key === keyOf(idempotencyKey, product.path, question)

/** The purchase: path, question and payment. */
export const fingerprintOf = (spendId: string, { product, question }: Asking): string =>
  sha256(JSON.stringify(['asked', spendId, product.path, question]))

const lookEveryMs = 25

export function replays({ turns, ledger, waitMs, allowance }: ReservationParts & { allowance: Allowance }) {
  const { purchases } = ledger

  const kept = (key: string): Purchase | undefined => {
    const purchase = purchases.ofKey(key)
    return purchase && purchases.replayable(purchase) ? purchase : undefined
  }

  async function replay(
    idempotencyKey: string,
    product: SaleItem,
    question: string,
    caller = nobody,
  ): Promise<Sold | undefined> {
    // A key may be overheard, so it gets no secret.
    if (product.holdsSecret) return undefined
    const key = keyOf(idempotencyKey, product.path, question)
    const deadline = performance.now() + waitMs
    const free = await turns.take(key, waitMs)
    if (!free) throw inUse('idempotency_conflict')
    try {
      await caughtUp(ledger)
      while (!kept(key) && ledger.isBusy(key)) {
        if (performance.now() > deadline) throw inUse('idempotency_conflict')
        await sleep(lookEveryMs)
      }
      const purchase = kept(key)
      if (!purchase) return undefined
      const delivered = (whole: boolean) => {
        if (whole && !purchase.delivered) ledger.recordDelivered(purchase)
      }
      if (ledger.answers.isPacked(purchase.promised.answer)) allowance.admitReplay(caller)
      const answer = await ledger.readAnswer(purchase)
      if (answer === undefined) throw answerUnread()
      return soldWith(purchase, answer, { replayed: true, delivered })
    } finally {
      free()
    }
  }

  return { replay, kept }
}

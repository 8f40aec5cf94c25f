/** An answer that was paid for is given again to its key for ten minutes, on any instance, and never charged twice. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../errors.ts'
import type { Operation } from '../operation.ts'
import type { Entry } from './book.ts'
import { caughtUp, type HoldingParts } from './holding.ts'
import type { Checked } from './payment.ts'
import { given } from './receipt.ts'
import { sha256 } from './sha256.ts'
import type { Sale, Sold } from './till.ts'

/** Key, path and question together: the same key with another question is another call. */
export const keyOf = (idempotencyKey: string, path: string, question: string): string =>
  sha256(JSON.stringify(['key', idempotencyKey, path, question]))

/** The payment-identifier extension keeps its answer in the same place, for the one payment that bears it. */
const identifierOf = (id: string, path: string): string => sha256(JSON.stringify(['identifier', id, path]))

/** Everything under which a sale's answer will be found, always in this order. */
export function keysOf(
  { idempotencyKey, operation, question }: Sale,
  { paymentIdentifier }: Checked,
): string[] {
  return [
    ...(idempotencyKey === undefined ? [] : [keyOf(idempotencyKey, operation.path, question)]),
    ...(paymentIdentifier === undefined ? [] : [identifierOf(paymentIdentifier, operation.path)]),
  ]
}

/** An Idempotency-Key is enough to be given its answer; a payment identifier is so only with its own payment. */
export const isBearer = (key: string, { idempotencyKey, operation, question }: Sale): boolean =>
  idempotencyKey !== undefined && key === keyOf(idempotencyKey, operation.path, question)

/** Who presents the same path, question and payment again is owed what it bought. */
export const fingerprintOf = ({ operation, question }: Sale, { payloadSha256 }: Checked): string =>
  sha256(JSON.stringify([operation.path, question, payloadSha256]))

const lookEveryMs = 25

export function replays(parts: HoldingParts) {
  const { turns, claims, ledger, waitMs } = parts

  const again = (entry: Entry): Promise<Sold> =>
    given(entry, true, whole => {
      if (whole && !entry.delivered) ledger.deliver(entry)
    })
  const kept = (key: string): Entry | undefined => {
    const entry = ledger.book.ofKey(key)
    return entry && ledger.book.replayable(entry) ? entry : undefined
  }

  async function replay(
    idempotencyKey: string,
    operation: Operation,
    question: string,
  ): Promise<Sold | undefined> {
    const key = keyOf(idempotencyKey, operation.path, question)
    const deadline = performance.now() + waitMs
    const inUse = () => new Failure('idempotency_conflict', undefined, { 'Retry-After': '1' })
    const free = await turns.take(key, waitMs)
    if (!free) throw inUse()
    try {
      await Promise.all([caughtUp(ledger), caughtUp(claims)])
      while (!kept(key) && claims.elsewhere(key)) {
        if (performance.now() > deadline) throw inUse()
        await sleep(lookEveryMs)
      }
      const entry = kept(key)
      return entry && (await again(entry))
    } finally {
      free()
    }
  }

  return { replay, again, kept }
}

/** The receipt of a free answer, and its settlement for analysts. */
import canonicalize from 'canonicalize'
import { z } from 'zod'
import type { Log } from '../../../pipelines/rails/log/log.ts'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import { type SettlementEvent, settlements } from '../../../schemas/settlements.ts'
import { instant } from '../../../schemas/values/values.ts'
import type { Operation } from '../../offer/operation.ts'
import { receipt } from '../../till/receipt.ts'
import { hashesOf } from '../../till/sale/hashes.ts'
import type { SoldTool } from './tools.ts'

export const trialReceipt = receipt.omit({ replayed: true }).extend({
  price_usdc: z.literal(0),
  charged: z.literal(false),
  network: z.null(),
  payment_tx: z.null(),
  free_calls_left: z.int().min(0),
})

export function freeReceipt(
  answer: string,
  { id }: Operation,
  requestId: string,
  left: number,
  now: number,
): string {
  const written: z.input<typeof trialReceipt> = {
    request_id: requestId,
    fetched_at: instant(now),
    tool: id,
    price_usdc: 0,
    charged: false,
    network: null,
    payment_tx: null,
    free_calls_left: left,
  }
  const body = answer.slice(0, answer.lastIndexOf('}'))
  return `${body}${body.trimEnd() === '{' ? '' : ','}"receipt":${JSON.stringify(written)}}`
}

/** Records a free call as a settlement with a state of its own, so analysts can count it beside paid calls. */
export const recordFree =
  (log: Log, now: () => number) =>
  async (
    { operation, origin }: SoldTool,
    requestId: string,
    { question, answer }: { question: unknown; answer: string },
  ): Promise<void> => {
    const { question_sha256, answer_sha256 } = hashesOf(operation, canonicalize(question) ?? '', answer)
    const event: SettlementEvent = {
      spend_id: sha256(requestId),
      state: 'free',
      at: instant(now()),
      request_id: requestId,
      origin: origin.name,
      operation: operation.id,
      network: 'none',
      amount_usdc: '0',
      payer: '',
      pay_to: '',
      payment_tx: null,
      payment_position: null,
      question_sha256,
      answer_sha256,
      resolved: false,
      reason: null,
    }
    const value = JSON.stringify(settlements.event.parse(event))
    await log.append(settlements.topic, [{ key: settlements.keyOf(event), value }])
  }

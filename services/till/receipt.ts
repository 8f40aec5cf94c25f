/** Declares the receipt once. Answers, documents and tests derive from it. */
import { z } from 'zod'
import { receiptNetworks } from '../../schemas/tables/networks.ts'
import { exact } from '../../schemas/values/values.ts'
import { number } from '../offer/answer.ts'
import { encode } from './header.ts'
import type { Purchase } from './ledger/purchase.ts'
import type { Sold } from './till.ts'

export const receipt = z.strictObject({
  request_id: z.string(),
  fetched_at: z.string().describe('When the answer was put together (RFC 3339, UTC)'),
  tool: z
    .string()
    .describe(
      'The id of the operation, `operationId` in OpenAPI; its path and its tool over MCP have other names',
    ),
  price_usdc: exact(),
  charged: z.literal(true).describe('The sale was charged: once, when its answer was first given'),
  network: z.enum(receiptNetworks),
  payment_tx: z.string(),
  replayed: z
    .literal(true)
    .optional()
    .describe('Present when the answer was paid by an earlier call, whether or not it arrived then'),
  charged_now: z.literal(false).optional().describe('Present beside `replayed`: this call charged nothing'),
})

type Receipt = z.input<typeof receipt>

const receiptOf = ({ requestId, promised, tx = '' }: Purchase, replayed: boolean): Receipt => ({
  request_id: requestId,
  fetched_at: promised.promised_at,
  tool: promised.operation,
  price_usdc: number(promised.price_usdc),
  charged: true,
  network: promised.network,
  payment_tx: tx,
  ...(replayed && { replayed, charged_now: false }),
})

/** Inserts the receipt into the text of the answer, without parsing it. */
function withReceipt(answer: string, receipt: Receipt): string {
  const body = answer.slice(0, answer.lastIndexOf('}'))
  return `${body}${body.trimEnd() === '{' ? '' : ','}"receipt":${JSON.stringify(receipt)}}`
}

/** Makes the answer for the payer of a settled purchase. */
export function soldWith(
  purchase: Purchase,
  answer: string,
  { replayed, delivered }: Pick<Sold, 'replayed' | 'delivered'>,
): Sold {
  const { trace, payer } = purchase.promised
  const settled = { success: true, transaction: purchase.tx, network: trace.network, payer }
  return {
    body: withReceipt(answer, receiptOf(purchase, replayed)),
    headers: {
      'PAYMENT-RESPONSE': encode(settled),
      ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}),
    },
    replayed,
    answerName: `${purchase.requestId} ${purchase.promised.promised_at}`,
    settledAt: purchase.settledAt,
    delivered,
  }
}

/** Tells a payer that his payment was not taken. */
export const notSettled = (network: string, payer: string, errorReason: string) => ({
  'PAYMENT-RESPONSE': encode({ success: false, transaction: '', network, payer, errorReason }),
})

/** The answer with its receipt, as it goes to the caller. */

import { unpacked } from './answer-text.ts'
import type { Entry } from './book.ts'
import { encode } from './quote.ts'
import type { Sold } from './till.ts'

/** The receipt is put into the answer's text: the answer itself is never parsed again. */
function withReceipt(answer: string, { requestId, intent, tx }: Entry, replayed: boolean): string {
  const text = JSON.stringify
  const receipt = `"receipt":{"request_id":${text(requestId)},"fetched_at":${text(intent.intended_at)},"tool":${text(intent.operation)},"price_usdc":${intent.price_usdc},"charged":true,"network":${text(intent.network)},"payment_tx":${text(tx)}${replayed ? ',"replayed":true' : ''}}`
  const body = answer.slice(0, answer.lastIndexOf('}'))
  return `${body}${body.trimEnd() === '{' ? '' : ','}${receipt}}`
}

export async function given(
  entry: Entry,
  replayed: boolean,
  delivered: Sold['delivered'],
  answer?: string,
): Promise<Sold> {
  const { trace, payer } = entry.intent
  const settled = { success: true, transaction: entry.tx, network: trace.network, payer }
  return {
    body: withReceipt(answer ?? (await unpacked(entry.intent.answer)), entry, replayed),
    headers: {
      'PAYMENT-RESPONSE': encode(settled),
      ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}),
    },
    replayed,
    delivered,
  }
}

/** What a caller is told whose payment was not taken. */
export const notSettled = (network: string, payer: string, errorReason: string) => ({
  'PAYMENT-RESPONSE': encode({ success: false, transaction: '', network, payer, errorReason }),
})

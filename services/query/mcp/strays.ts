/**
 * Payments where MCP reads none: beside the parameters, deeper in the arguments, in a header of HTTP. Each may have been taken elsewhere,
 * so no answer beside it may say that nothing was charged.
 */
import type { IncomingMessage } from 'node:http'
import { isObject } from '../../till/header.ts'
import { sentIn } from '../mpp/sent.ts'
import { mayHidePayment } from '../truth.ts'
import { paymentKey } from './payment.ts'

const where = `A call of a tool is paid in _meta["${paymentKey}"] or in the argument payment, and nowhere else`

/** How a message that has a stray payment is refused. Undefined: it has none. */
export const strayRefusal = (body: unknown, request: IncomingMessage): string | undefined =>
  sentIn(request) !== undefined || [body].flat().some(message => straysIn(message).length > 0)
    ? where
    : undefined

/** Whatever has the form of a payment, and stands where none is read. */
export function straysIn(message: unknown): unknown[] {
  const params = isObject(message) && isObject(message.params) ? message.params : {}
  const { arguments: asked, _meta: beside } = params
  const read = [
    ...(isObject(asked) ? [asked.payment] : []),
    ...(isObject(beside) ? [beside[paymentKey]] : []),
  ]
  const strays: unknown[] = []
  const left: unknown[] = [message]
  while (left.length) {
    const part = left.pop()
    if (read.includes(part)) continue
    const payment = paymentOf(part)
    if (payment) strays.push(payment)
    else if (typeof part === 'object' && part !== null)
      for (const each of Object.values(part)) left.push(each)
  }
  return strays
}

function paymentOf(part: unknown): object | undefined {
  if (typeof part !== 'string')
    return isObject(part) && 'x402Version' in part && 'payload' in part ? part : undefined
  // The text of a JSON object, or its base64.
  return mayHidePayment(part) && /^\s*(?:e[yw]|\{)/.test(part) ? paymentOf(objectOf(part)) : undefined
}

function objectOf(text: string): unknown {
  for (const json of [text, Buffer.from(text, 'base64').toString()])
    try {
      return Object(JSON.parse(json))
    } catch {
      // Any text may stand in a question.
    }
  return undefined
}

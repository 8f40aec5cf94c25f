/** One call of a tool: free, on trial, replayed, or sold. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { forSale } from '../../../pipelines/rails/outside/calls.ts'
import type { Failure } from '../../offer/errors.ts'
import type { Sold as Bought, Presented } from '../../till/till.ts'
import { answerOf, questionOf } from '../answers.ts'
import { bodyOfError, type ErrorAnswer, failureOf } from '../call-failures.ts'
import { type ChosenFields, fieldsIn } from '../chosen-fields.ts'
import type { ClientFamily } from '../door/client-family.ts'
import { networkIn, type Way } from '../door/door.ts'
import { type Counter, checkKey, replayOf, type SaleDelivery, sale } from '../purchase.ts'
import type { Corrected } from '../signing/again.ts'
import type { Statements } from '../signing/statement.ts'
import { truthOf, wholeTruthOf } from '../truth.ts'
import { evidenceOf, keyIn } from './asked.ts'
import { wordOf } from './charges.ts'
import { objectIn, paymentIn, paymentKey, requirements, settlementKey } from './payment.ts'
import { told } from './results.ts'
import type { SoldTool } from './tools.ts'
import { freeReceipt, type recordFree } from './trial-receipt.ts'
import type { Trials } from './trials.ts'

export interface Caller {
  /** The caller's name from `callerOf`. */
  name: string
  requestId: string
  /** The family of the program that asks. */
  client: ClientFamily
  /** The caller's trace in W3C's form, from the HTTP request. A call may carry its own. */
  traceparent?: string | undefined
  /** The purchases of this request. The till learns from it whether each answer has arrived. */
  bought: SaleDelivery
}

export interface Selling extends Counter {
  trials: Trials
  /** Records that a free answer was given. */
  record: ReturnType<typeof recordFree>
  /** Absent: nobody hears that a fact was corrected. */
  corrected?: Corrected
  /** Absent: no payer gets a statement. */
  statements?: Statements
}

interface ToolCall {
  arguments?: Record<string, unknown> | undefined
  _meta?: Record<string, unknown> | undefined
}

export async function callSold(
  tool: SoldTool,
  { arguments: given = {}, _meta: meta = {} }: ToolCall,
  caller: Caller,
  selling: Selling,
): Promise<CallToolResult> {
  const { operation, origin } = tool
  const labels = { origin: origin.name, operation: operation.id }
  const { payment, idempotency_key, fields: wanted, ...asked } = given
  const sent = { ...operation.ofModels, ...asked }
  const resourceUrl = `${origin.url}${operation.path}`
  const counted = selling.door.begin(labels, () => wayBy('mcp', caller, presented))
  let presented: Presented | undefined
  let fields: ChosenFields
  try {
    const read = () => paymentIn(payment, meta[paymentKey], tool.name, selling.till)
    presented = readable(read)
    const key = keyIn(idempotency_key, meta)
    checkKey(key)
    // A model can correct its arguments, so it learns of mistakes before it pays. A call that was paid before is not checked again.
    const isKnown = presented !== undefined && selling.till.knows(presented)
    const question = isKnown ? undefined : questionOf(operation, sent)
    fields = fieldsIn(wanted, operation, isKnown)
    presented ??= read()
    if (presented) {
      const call = { sent, key, resourceUrl, fields, presented, origin: origin.name }
      const paid = { ...call, ...evidenceOf(meta, caller) }
      const bought = await sale(operation, paid, selling)
      metrics.callSeconds.observe(labels, counted.tookMs() / 1000)
      return answered(bought)
    }
    const replay = await replayOf(operation, { sent, key, caller: caller.name, resourceUrl, fields }, selling)
    if (replay) return answered(replay)
    if (!operation.trial) return quoted()
    const free = await tried(tool, { question, sent, fields }, caller, selling)
    return free ?? quoted(undefined, await selling.trials.whyNone(caller.name))
  } catch (error) {
    return await refused(error)
  }

  function answered(bought: Bought): CallToolResult {
    metrics.calls.inc({ ...labels, status: 200 })
    if (bought.replayed) metrics.replays.inc(labels)
    counted.count(bought.replayed ? 'again' : 'paid')
    caller.bought.add(bought)
    return {
      ...told(bought.body, { picture: operation.picture, fields }),
      _meta: settlementIn(bought.headers),
    }
  }

  function quoted(why?: ErrorAnswer, noneFree?: string): CallToolResult {
    metrics.quotes.inc(labels)
    if (!why) counted.count('quoted')
    return { ...told(JSON.stringify(requirements(tool, selling.till, { why, noneFree }))), isError: true }
  }

  async function refused(error: unknown): Promise<CallToolResult> {
    const failure = failureOf(await truthBeside(error, { presented, tool, given, meta, caller }, selling))
    const { code, status, headers } = failure
    counted.refuse(failure, selling.door.shapeOf(operation, sent))
    if (code === 'internal_error') throw error
    metrics.calls.inc({ ...labels, status })
    metrics.refusals.inc({ ...labels, code })
    if (status !== 402 && !unreadable.has(code)) return { ...told(bodyOfError(failure)), isError: true }
    return { ...quoted(failure), ...(headers['PAYMENT-RESPONSE'] && { _meta: settlementIn(headers) }) }
  }
}

interface Tried {
  question: unknown
  /** The question as it was sent. */
  sent: object
  fields: ChosenFields
}

/** How a call of a tool came. */
export const wayBy = (
  protocol: Way['protocol'],
  { client }: Pick<Caller, 'client'>,
  presented: Presented | undefined,
): Way => ({ protocol, network: networkIn(presented), client, paying: presented !== undefined })

async function tried(
  tool: SoldTool,
  { question, sent, fields }: Tried,
  caller: Caller,
  selling: Selling,
): Promise<CallToolResult | undefined> {
  const { operation, origin } = tool
  const { name, requestId } = caller
  const labels = { origin: origin.name, operation: operation.id }
  const counted = selling.door.begin(labels, () => wayBy('try_it', caller, undefined))
  const trial = await selling.trials.take(name)
  if (!trial) return undefined
  try {
    const answer = await forSale(labels, () => answerOf(operation, question, { ...selling, caller: name }))
    await selling.record(tool, requestId, { question: sent, answer })
    metrics.freeCalls.inc({ ...labels, status: 200 })
    counted.count('free')
    const body = freeReceipt(answer, operation, requestId, trial.left, selling.tools.now())
    return told(body, { picture: operation.picture, fields })
  } catch (error) {
    metrics.freeCalls.inc({ ...labels, status: failureOf(error).status })
    await trial.giveBack()
    throw error
  }
}

const settlementIn = (headers: Record<string, string>) => ({
  [settlementKey]: objectIn(headers['PAYMENT-RESPONSE'] ?? ''),
})

interface Beside {
  presented: Presented | undefined
  tool: SoldTool
  given: object
  meta: object
  caller: Caller
}

/** Two different payments are no payment of this call, but each of them may have been taken. */
async function truthBeside(
  error: unknown,
  { presented, tool, given, meta, caller }: Beside,
  selling: Selling,
): Promise<unknown> {
  if (presented) return wholeTruthOf(error, presented, caller.name, selling)
  const params = { name: tool.name, arguments: given, _meta: meta }
  return truthOf(error, (await wordOf({ params }, caller.name, selling.till)) ?? null, false)
}

/** A payment that cannot be read is reported later. */
function readable(read: () => Presented | undefined): Presented | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Models invent payments. For these errors they get the quote again. */
const unreadable: ReadonlySet<string> = new Set([
  'invalid_payment_header',
  'headers_too_large',
] satisfies Failure['code'][])

/** Asks an endpoint and gets its answer. It does not deal with payments. */

import type { z } from 'zod'
import { asCaller } from '../../pipelines/rails/children/caller.ts'
import { Unsold } from '../../pipelines/rails/failures.ts'
import { busyOf } from '../../pipelines/rails/outside/browser/browser-failures.ts'
import { whatIsWrong } from '../../schemas/dataset/dataset.ts'
import { jsonOf } from '../offer/answer.ts'
import { Failure, Refused } from '../offer/errors.ts'
import { type Endpoint, refuseFor, type Tools } from '../offer/operation.ts'
import type { Renderings } from './failed-renderings.ts'
import { mistake } from './mistakes.ts'

/** Reads an absent body as an empty question. */
export const bodyOf = ({ body }: { body: unknown }): unknown => (body === undefined ? {} : body)

/** A text that is read as this number by everybody. */
const plainNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/

/** Checks a question. Where only a number is wanted, a text that can mean no other is read as it. */
export function readKindly<Request extends z.ZodType>(request: Request, sent: unknown) {
  const checked = request.safeParse(sent, { error: mistake })
  const texts = checked.error?.issues.filter(issue => isNumberAsText(sent, issue)) ?? []
  if (texts.length === 0) return checked
  const meant = structuredClone(sent)
  for (const { path } of texts) {
    const [held, key] = placeOf(meant, path)
    held[key] = Number(held[key])
  }
  return request.safeParse(meant, { error: mistake })
}

type Held = Record<PropertyKey, unknown>

/** Where the value is held, and under which key. Its schema has read all that is above it. */
function placeOf(question: unknown, path: readonly PropertyKey[]): [held: Held, key: PropertyKey] {
  const held = path.slice(0, -1).reduce((at, key) => (at as Held)[key], question)
  return [held as Held, path.at(-1) ?? '']
}

function isNumberAsText(question: unknown, issue: z.core.$ZodIssue): boolean {
  if (issue.code !== 'invalid_type' || !/^(?:number|int)$/.test(issue.expected)) return false
  if (issue.path.length === 0) return false
  const [held, key] = placeOf(question, issue.path)
  const text = Object.hasOwn(held, key) ? held[key] : undefined
  return typeof text === 'string' && plainNumber.test(text)
}

/** A schema says what it wants as a noun: "a query", "three letters". */
function sentenceOf(issue: z.core.$ZodIssue): string {
  const { message } = issue
  if (!/^(?:an?|at (?:least|most)|one|two|three) /.test(message)) return message
  const isEmpty = issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1
  return `it should be ${message}${isEmpty ? ', and it is empty' : ''}`
}

export function questionOf<Request extends z.ZodType>(
  { request }: { request: Request },
  sent: unknown,
): z.output<Request> {
  const checked = readKindly(request, sent)
  if (!checked.success) {
    const issues = checked.error.issues.map(issue => ({ ...issue, message: sentenceOf(issue) }))
    throw new Failure('invalid_request', whatIsWrong({ issues }))
  }
  return checked.data
}

export interface Answering {
  tools: Tools
  /** Resolves once the payment is verified, as far as that is possible before it settles. Absent: the call is free. */
  verified?: (() => Promise<void>) | undefined
  /** Limits the failed renderings of the caller. Absent: there is no limit. */
  renderings?: Renderings | undefined
  /** The caller. Absent: we ask ourselves. */
  caller?: string | undefined
  /** Checks each answer against its response schema. The compiler cannot check values from a log or an upstream. */
  checkAnswers?: boolean | undefined
}

/** Resolves with the JSON text of the answer. */
export async function answerOf(
  endpoint: Endpoint,
  question: unknown,
  { checkAnswers, caller = '', ...answering }: Answering,
): Promise<string> {
  const answer = await asCaller(caller, () => answered(endpoint, question, answering))
  const text = jsonOf(answer)
  if (checkAnswers && text.length <= mostChecked) check(endpoint, text)
  return text
}

/**
 * Facts in memory are read at once. Requests, fetches and heavy work wait for the payment's verification, so that we do no work for
 * an empty wallet. A refusal carries its cost, because a payer may be refused for nothing as often as he likes.
 */
async function answered(
  endpoint: Endpoint,
  question: unknown,
  { tools, renderings, verified }: Omit<Answering, 'checkAnswers'>,
) {
  let asks = 0
  let wasCostly = false
  const find: Tools['find'] = async (lookup, key, mayAsk) => {
    if (lookup.costly?.mayBe(key)) renderings?.admit()
    const found = await tools.find(lookup, key, async () => {
      await verified?.()
      asks += 1
      await mayAsk?.()
    })
    wasCostly ||= lookup.costly?.was(found) ?? false
    return found
  }
  try {
    return await endpoint.answer(question, { ...tools, find }, refuseFor(endpoint))
  } catch (error) {
    if (wasCostly) renderings?.count()
    // Several calls may get one failure, and each has its own cost.
    if (error instanceof Unsold)
      throw Object.assign(new Unsold(error.message, { cause: busyOf(error) ?? error }), { asks })
    if (error instanceof Refused) error.asks = asks
    throw error
  }
}

/** A larger one would hold up the other calls. */
const mostChecked = 256 << 10

function check({ path, response }: Endpoint, text: string): void {
  const { error } = response.safeParse(JSON.parse(text))
  if (error) throw new Error(`the answer of ${path} does not fit its response: ${whatIsWrong(error)}`)
}

/** Asks an endpoint and gets its answer. It does not deal with payments. */
import type { z } from 'zod'
import { asCaller } from '../../pipelines/rails/children/caller.ts'
import { whatIsWrong } from '../../schemas/dataset/dataset.ts'
import { Serialised } from '../offer/answer.ts'
import { Failure, Refused } from '../offer/errors.ts'
import { type Endpoint, refuseFor, type Tools } from '../offer/operation.ts'
import type { Renderings } from './failed-renderings.ts'
import { mistake } from './mistakes.ts'

/** Reads an absent body as an empty question. */
export const bodyOf = ({ body }: { body: unknown }): unknown => (body === undefined ? {} : body)

export function questionOf<Request extends z.ZodType>(
  { request }: { request: Request },
  sent: unknown,
): z.output<Request> {
  const checked = request.safeParse(sent, { error: mistake })
  if (!checked.success) throw new Failure('invalid_request', whatIsWrong(checked.error))
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
  const text = answer instanceof Serialised ? answer.json : JSON.stringify(answer)
  if (checkAnswers) check(endpoint, text)
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
    if (error instanceof Refused) error.asks = asks
    if (wasCostly) renderings?.count()
    throw error
  }
}

function check({ path, response }: Endpoint, text: string): void {
  const { error } = response.safeParse(JSON.parse(text))
  if (error) throw new Error(`the answer of ${path} does not fit its response: ${whatIsWrong(error)}`)
}

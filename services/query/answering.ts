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
  /** Resolves once the call is sure to be paid, as far as anybody can tell before it is. Absent: it is free. */
  verified?: (() => Promise<void>) | undefined
  /** Whoever asks is bounded in what a browser does for nothing. Absent: nobody is. */
  renderings?: Renderings | undefined
  /** Who asks. Absent: we do. */
  caller?: string | undefined
  /** Checks each answer against its response schema. The compiler cannot see what was read from a log or an upstream. */
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
 * What is at hand is read at once. Whatever has to be asked, fetched or worked out waits for the payment's verification,
 * so that nobody works for an empty wallet. A refusal says what it has cost: a payer may be refused for nothing as often
 * as he likes.
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

/** One endpoint, asked and answered, money aside. */
import type { z } from 'zod'
import { whatIsWrong } from '../../schemas/dataset.ts'
import { Failure } from '../errors.ts'
import { type Endpoint, refuseFor, Serialised, type Tools } from '../operation.ts'

/** An absent body is an empty question. */
export const bodyOf = ({ body }: { body: unknown }): unknown => (body === undefined ? {} : body)

export function questionOf<Request extends z.ZodType>(
  { request }: { request: Request },
  sent: unknown,
): z.output<Request> {
  const checked = request.safeParse(sent)
  if (!checked.success) throw new Failure('invalid_request', whatIsWrong(checked.error))
  return checked.data
}

/** The answer as JSON text. */
export async function answerOf(endpoint: Endpoint, question: unknown, tools: Tools): Promise<string> {
  const answer = await endpoint.answer(question, tools, refuseFor(endpoint))
  return answer instanceof Serialised ? answer.json : JSON.stringify(answer)
}

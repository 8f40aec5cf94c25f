/** Reads what upstreams and modules answer. What is large is read in a process of its own, so that no other call waits for it. */
import { Children, TaskBroke, TaskTooLong, TooManyTasks } from '../../pipelines/rails/children/children.ts'
import { Unsold } from '../../pipelines/rails/failures.ts'
import { Busy } from '../../pipelines/rails/outside/browser/browser-failures.ts'
import { type AnswerOptions, type AnswerSchema, answerText } from './answer.ts'
import type { LargeAnswer, ReadAnswer } from './answer-child.ts'
import type { UpstreamReply } from './upstream.ts'

/** Of this size, the slowest answer takes about two milliseconds. */
const mostHereBytes = 64 << 10
const bounds = { children: 2, deadlineMs: 8_000, mostMegabytes: 256 }
const tooMany = 'Too many large answers wait to be read'
const queue = { mostWaiting: 64, mostWaitingBytes: 64 << 20 }

/** The processes start with the first large answer, and end when there has been none for minutes. */
const readers = new Children<LargeAnswer>({
  file: new URL('answer-child.ts', import.meta.url),
  ...bounds,
  ...queue,
})

interface ReadOptions extends AnswerOptions {
  /** The shape as JSON Schema. */
  schema: AnswerSchema
}

/** Resolves with the JSON text of the answer. Rejects with Unsold where the file promises something else: then the call is free. */
export async function readAnswer(reply: UpstreamReply, at: number, options: ReadOptions): Promise<string> {
  const { length } = reply.bytes
  if (length <= mostHereBytes) return answerText(reply, at, options)
  const { shape: _, ...sent } = options
  const read = await asked({ reply, at, options: sent }, length, options.name)
  if ('unsold' in read) throw new Unsold(read.unsold)
  return read.json
}

async function asked(question: LargeAnswer, bytes: number, name: string): Promise<ReadAnswer> {
  try {
    return (await readers.ask(question, bytes)) as ReadAnswer
  } catch (error) {
    if (error instanceof TooManyTasks)
      throw new Unsold(`${name}: too many large answers wait to be read`, { cause: new Busy(tooMany, 5) })
    if (error instanceof TaskTooLong || error instanceof TaskBroke)
      throw new Unsold(`${name}: the answer takes too much to be read: ${error.message}`)
    throw error
  }
}

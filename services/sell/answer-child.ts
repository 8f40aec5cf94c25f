/** The process that reads large answers. */
import { answerQuestions } from '../../pipelines/rails/children/child-answers.ts'
import { Unsold } from '../../pipelines/rails/failures.ts'
import { type AnswerOptions, type AnswerSchema, answerText, shapeIn } from './answer.ts'
import type { UpstreamReply } from './upstream.ts'

export interface LargeAnswer {
  reply: UpstreamReply
  at: number
  /** The shape as JSON Schema. */
  options: Omit<AnswerOptions, 'shape'> & { schema: AnswerSchema }
}
export type ReadAnswer = { json: string } | { unsold: string }

answerQuestions(({ reply, at, options: { schema, ...options } }: LargeAnswer): ReadAnswer => {
  try {
    const bytes = Buffer.from(reply.bytes)
    return { json: answerText({ ...reply, bytes }, at, { ...options, shape: shapeIn(schema) }) }
  } catch (error) {
    if (error instanceof Unsold) return { unsold: error.message }
    throw error
  }
})

/** The inside of a child: it answers each question, and says when it is loaded. */
import process from 'node:process'
import type { ChildReply } from './child.ts'

interface AnsweringOptions {
  /** Says whether a fresh process should take its place, after an answer or a failure. If absent, none does. */
  ends?: (hasFailed: boolean) => boolean
}

export function answerQuestions<Question>(
  answer: (question: Question) => unknown,
  { ends = () => false }: AnsweringOptions = {},
): void {
  // A terminal and a supervisor send these signals to parent and child. The parent decides when the work is done.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
  process.on('message', question => process.send?.(replyTo(question as Question)))
  process.send?.({ ready: true } satisfies ChildReply)

  function replyTo(question: Question): ChildReply {
    try {
      return { result: answer(question), ends: ends(false) }
    } catch (error) {
      // A document that breaks the reader fails alone. The process goes on with the next one.
      return { error: error instanceof Error ? error.message : String(error), ends: ends(true) }
    }
  }
}

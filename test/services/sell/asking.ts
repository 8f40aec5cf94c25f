/** Asks an operation of a file as the door does, without a payment. */
import type { Lookup } from '../../../pipelines/lookups/lookup.ts'
import { startLookups } from '../../../pipelines/lookups/runner.ts'
import type { Tools } from '../../../services/offer/operation.ts'
import { answerOf, questionOf } from '../../../services/query/answers.ts'
import { read, shown } from './reading.ts'

export async function opened(text: string, set: Record<string, string> = {}, now = () => Date.now()) {
  const { origin, faults } = read(text, set)
  if (!origin) throw new Error(faults.map(shown).join('\n'))
  const finder = await startLookups(origin.lookups as readonly Lookup[], {
    needsOf: lookup => lookup.needs?.({ now } as never),
    outside: signal => ({ signal, now }) as never,
    now,
  })
  const tools = { find: finder.find } as unknown as Tools
  const asked = async (question: unknown, path = '/tide'): Promise<string> => {
    const operation = origin.operations.find(each => each.path === path)
    if (!operation) throw new Error(`there is no ${path}`)
    return answerOf(operation, questionOf(operation, question), { tools, checkAnswers: true })
  }
  return { asked, ask: async (question: unknown, path?: string) => JSON.parse(await asked(question, path)) }
}

/** The code and the message of a call that fails. */
export const failureOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    error => `${error.code ?? error.name}: ${error.message}`,
  )

/** Asks an operation of a file as the door does, without a payment. */
import type { Lookup } from '../../../pipelines/lookups/lookup.ts'
import { startLookups } from '../../../pipelines/lookups/runner.ts'
import { callerNow } from '../../../pipelines/rails/children/caller.ts'
import type { Store } from '../../../pipelines/rails/store/store.ts'
import type { Tools } from '../../../services/offer/operation.ts'
import { answerOf, questionOf } from '../../../services/query/answers.ts'
import { read, shown } from './reading.ts'

interface Around {
  now?: () => number
  store?: () => Promise<Store>
  /** The time of the last good poll of each feed. */
  polledAt?: number
  /** The files beside it. */
  files?: Record<string, string>
  tell?: (line: string) => void
}

export async function opened(text: string, set: Record<string, string> = {}, around: Around = {}) {
  const { now = Date.now, store, polledAt = now(), files, tell = () => {} } = around
  const { origin, faults } = read(text, set, files)
  if (!origin) throw new Error(faults.map(shown).join('\n'))
  const finder = await startLookups(origin.lookups as readonly Lookup[], {
    needsOf: lookup => lookup.needs?.({ now, store, tell } as never),
    outside: signal => ({ signal, now }) as never,
    now,
  })
  const view = () => ({ get: () => ({ good_at: new Date(polledAt).toISOString() }) })
  const tools = { now, find: finder.find, view } as unknown as Tools
  const asked = async (question: unknown, path = '/tide'): Promise<string> => {
    const operation = origin.operations.find(each => each.path === path)
    if (!operation) throw new Error(`there is no ${path}`)
    const caller = callerNow()
    return answerOf(operation, questionOf(operation, question), { tools, checkAnswers: true, caller })
  }
  return {
    ...{ asked, tools, origin },
    ask: async (question: unknown, path?: string) => JSON.parse(await asked(question, path)),
  }
}

/** The code and the message of a call that fails. */
export const failureOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    error => `${error.code ?? error.name}: ${error.message}`,
  )

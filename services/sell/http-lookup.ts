/** The lookup behind an operation that asks an HTTP API. It has its own places, its own circuit and its own memory. */
import canonicalize from 'canonicalize'
import type { Lookup } from '../../pipelines/lookups/lookup.ts'
import { type Waiting, waitingBy } from '../../pipelines/lookups/runner/clock.ts'
import { LookupGate } from '../../pipelines/lookups/runner/gate.ts'
import { Bounded } from '../../pipelines/rails/bounded.ts'
import { UpstreamFailed } from '../../pipelines/rails/failures.ts'
import { type AnswerOptions, answerText } from './answer.ts'
import type { HttpForm } from './form.ts'
import { type RequestPlan, requestOf } from './request.ts'
import type { Question } from './template.ts'
import { reply } from './upstream.ts'

/** A JSON text, or the status of a refusal that the file declares. */
type SoldValue = { json: string } | { refused: number }

/** Further questions to a slow upstream fail at once, and wait in nobody's way. */
const patience = { atOnce: 8, mostWaiting: 32, circuit: { failures: 5, openMs: 10_000 } }
/** Only a GET is sent twice. */
const againMs = [200]
/** The answers of one operation that are sold again. */
const mostKept = 1_000
const mostKeptBytes = 8 << 20

interface Kept {
  json: string
  until: number
}

interface HttpSource {
  plan: RequestPlan
  from: HttpForm
  keepMs: number | undefined
  /** The statuses that are refusals. */
  refused: ReadonlySet<number>
  options: AnswerOptions
}

export function httpLookup({
  plan,
  from,
  keepMs,
  refused,
  options,
}: HttpSource): Lookup<Question, SoldValue, Waiting> {
  const { name, secrets } = options
  const { most: mostBytes, follow = [], within: timeoutMs } = from
  return {
    name,
    timeoutMs,
    needs: ({ now }) => waitingBy(now),
    open(waiting) {
      const pausesMs = plan.method === 'GET' ? againMs : []
      const gate = new LookupGate(name, { timeoutMs, pausesMs, ...patience }, waiting)
      const kept = new Bounded<Kept>({
        most: mostKept,
        mostWeight: mostKeptBytes,
        weigh: ({ json }) => 2 * json.length,
      })
      return {
        atHand(question) {
          const answer = keepMs === undefined ? undefined : kept.ask(nameOf(question))
          return answer && waiting.now() < answer.until ? { json: answer.json } : undefined
        },
        async find(question, { signal }) {
          const request = requestOf(plan, { question, secrets })
          const bounds = { name, mostBytes, follow, signal }
          const replied = await gate.pass(() => reply(request, bounds), signal)
          if (refused.has(replied.status)) return { refused: replied.status }
          if (replied.status >= 400) throw new UpstreamFailed(`${name}: answered ${replied.status}`)
          const at = waiting.now()
          const json = answerText(replied, at, options)
          if (keepMs !== undefined) kept.set(nameOf(question), { json, until: at + keepMs })
          return { json }
        },
      }
    },
  }
}

const nameOf = (question: Question): string => canonicalize(question) ?? ''

/** An HTTP API behind an operation. It has its own places, its own circuit and its own memory. */
import type { Lookup } from '../../pipelines/lookups/lookup.ts'
import { waitingBy } from '../../pipelines/lookups/runner/clock.ts'
import { LookupGate } from '../../pipelines/lookups/runner/gate.ts'
import { Unsold } from '../../pipelines/rails/failures.ts'
import { openConnections } from '../../pipelines/rails/outside/fetching/exchange.ts'
import { type AnswerOptions, responses } from './answer.ts'
import { readAnswer } from './answer-reader.ts'
import type { HttpForm, OperationForm } from './form.ts'
import { KeptAnswers } from './kept.ts'
import { misfitAt, planOf, type RequestPlan, requestOf, type Tell } from './request.ts'
import { type SellEnvironment, secretsOf } from './secrets.ts'
import { patience, type SellSource, type SoldValue } from './source.ts'
import type { Question } from './template.ts'
import { reply } from './upstream.ts'

/** Only a GET is sent twice. */
const againMs = [200]

interface Around {
  origin: string
  form: OperationForm
  from: HttpForm
  environment: SellEnvironment
  options: Pick<AnswerOptions, 'name' | 'shape'>
  mostKeptBytes: number
  tell: Tell
}

/** Undefined if the file has faults: they have been told. */
export function httpSource({
  mostKeptBytes,
  origin,
  form,
  from,
  environment,
  options,
  tell,
}: Around): SellSource | undefined {
  if ('none' in form.refuse) tell(['refuse', 'none'], 'it is a word of views', { isName: true })
  const tellOfFrom: Tell = (path, ...told) => tell(['from', ...path], ...told)
  const plan = planOf(from, form.question, tellOfFrom)
  if (!plan) return undefined
  const secrets = secretsOf(origin, plan.variables, environment, tellOfFrom)
  return {
    lookup: lookupOf(plan, form, from, { ...options, gives: from.gives, secrets }, mostKeptBytes),
    response: responses[from.gives](options.shape),
    misfits: question =>
      plan.uses.flatMap(({ field, place }) => {
        const message = misfitAt(place, question[field])
        return message === undefined ? [] : { field, message }
      }),
  }
}

function lookupOf(
  plan: RequestPlan,
  { keep, refuse, answer: schema }: OperationForm,
  { most: mostBytes, follow = [], within: timeoutMs }: HttpForm,
  options: AnswerOptions,
  mostKeptBytes: number,
): Lookup<Question, SoldValue> {
  const { name, secrets } = options
  return {
    name,
    timeoutMs,
    needs: ({ now }) => now,
    open(needs) {
      const now = needs as () => number
      const pausesMs = plan.method === 'GET' ? againMs : []
      const gate = new LookupGate(name, { timeoutMs, pausesMs, ...patience }, waitingBy(now))
      const connections = openConnections()
      const kept = new KeptAnswers(keep, now, mostKeptBytes)
      return {
        atHand: question => kept.of(question),
        async find(question, { signal }) {
          const request = requestOf(plan, { question, secrets })
          const bounds = { name, mostBytes, follow, connections, signal }
          const replied = await gate.pass(() => reply(request, bounds), signal)
          if ('unsold' in replied) throw new Unsold(`${name}: ${replied.unsold}`)
          const { status } = replied
          if (Object.hasOwn(refuse, status)) return { refused: String(status) }
          if (status >= 400) throw new Unsold(`${name}: answered ${status}`)
          const at = now()
          const json = await readAnswer(replied, at, { ...options, schema })
          kept.keep(question, json, at)
          return { json }
        },
      }
    },
  }
}

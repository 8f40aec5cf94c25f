/** A module of the operator behind an operation. It runs in processes of its own, which are killed where they hang, and replaced. */

import { dirname } from 'node:path'
import { pid } from 'node:process'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import type { Lookup } from '../../../pipelines/lookups/lookup.ts'
import { Children, TaskBroke, TaskTooLong, TooManyTasks } from '../../../pipelines/rails/children/children.ts'
import { ConfigError } from '../../../pipelines/rails/environment/variables.ts'
import { Unsold, UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import type { Process } from '../../../pipelines/rails/process.ts'
import { QueryRefused, type Store } from '../../../pipelines/rails/store/store.ts'
import { responses } from '../answer.ts'
import { readAnswer } from '../answer-reader.ts'
import type { ModuleForm, OperationForm } from '../form.ts'
import { KeptAnswers } from '../kept.ts'
import type { Tell } from '../request.ts'
import { type SellEnvironment, secretsOf } from '../secrets.ts'
import type { SellSource, SoldValue } from '../source.ts'
import type { Question } from '../template.ts'
import { checkQuery } from '../view-check.ts'
import type { ModuleQuestion, ModuleReply, ModuleSettings } from './module-child.ts'
import { ModuleLines } from './said.ts'

interface Around {
  origin: string
  form: OperationForm
  from: ModuleForm
  environment: SellEnvironment & { placeOf(name: string): string }
  name: string
  shape: z.ZodType
  mostKeptBytes: number
  tell: Tell
}

/** Of an operation. One caller has all but one of them at most. */
const processes = 3
const mostWaiting = 32
/** On a busy machine loading takes seconds. */
const loadMs = 60_000

/** Undefined if the file has faults: they have been told. */
export function moduleSource(around: Around): SellSource | undefined {
  const { origin, form, from, environment, shape, tell } = around
  const tellOfFrom: Tell = (path, ...told) => tell(['from', ...path], ...told)
  for (const [i, host] of (from.hosts ?? []).entries())
    if (!URL.canParse(host) || new URL(host).origin !== host)
      tellOfFrom(['hosts', i], 'it should be https://host, and nothing behind it')
  for (const key of Object.keys(form.refuse))
    if (!/^[a-z]/.test(key) || key === 'none')
      tell(['refuse', key], 'a module refuses by the codes themselves: unknown_station: No such station', {
        isName: true,
      })
  const variables = (from.variables ?? []).map((name, i) => ({ name, path: ['variables', i] }))
  const secrets = secretsOf(origin, variables, environment, tellOfFrom)
  let file: string
  try {
    file = environment.asks ? environment.placeOf(from.module) : from.module
  } catch (error) {
    tellOfFrom(['module'], (error as Error).message)
    return undefined
  }
  return {
    lookup: lookupOf(around, file, secrets),
    response: responses.json(shape),
    misfits: () => [],
  }
}

interface Needs {
  children: Children<ModuleQuestion>
  now(): number
}

function lookupOf(
  { form, from, name, shape, mostKeptBytes }: Around,
  file: string,
  secrets: ReadonlyMap<string, string>,
): Lookup<Question, SoldValue> {
  return {
    name,
    timeoutMs: from.within + mostQueuedMs,
    async needs(process): Promise<Needs> {
      const children = childrenOf(process, { from, file, name })
      await mustLoad(children, name)
      return { children, now: process.now }
    },
    open(needs) {
      const env = Object.fromEntries(secrets)
      const { children, now } = needs as Needs
      const kept = new KeptAnswers(form.keep, now, mostKeptBytes)
      return {
        atHand: question => kept.of(question),
        async find(question) {
          const reply = await asked(children, { question, env }, name)
          if ('broke' in reply) throw new Unsold(`${name}: ${reply.broke}`)
          if ('refused' in reply) {
            if (!Object.hasOwn(form.refuse, reply.refused))
              throw new Unsold(`${name}: it refuses with a code that the file does not name`)
            return reply
          }
          const at = now()
          const answered = { status: 200, type: '', bytes: Buffer.from(reply.json) }
          const options = { name, gives: 'json', shape, schema: form.answer, secrets } as const
          const json = await readAnswer(answered, at, options)
          kept.keep(question, json, at)
          return { json }
        },
      }
    },
  }
}

/** A question waits so long for a process that is free. */
const mostQueuedMs = 5_000

async function asked(
  children: Children<ModuleQuestion>,
  question: ModuleQuestion,
  name: string,
): Promise<ModuleReply> {
  try {
    return replyIn(await children.ask(question, JSON.stringify(question).length))
  } catch (error) {
    // A payer chooses the question: it shuts the module for nobody else.
    if (error instanceof TaskTooLong || error instanceof TaskBroke)
      throw new Unsold(`${name}: its module was ended: ${error.message}`)
    if (error instanceof TooManyTasks)
      throw new UpstreamFailed(`${name}: too many questions wait for its module`)
    throw error
  }
}

/** A module could have written it by itself, past its process. */
function replyIn(given: unknown): ModuleReply {
  const told: Partial<Record<string, unknown>> = typeof given === 'object' && given !== null ? given : {}
  const word = (['json', 'refused', 'broke'] as const).find(name => Object.hasOwn(told, name))
  const text = word && told[word]
  return typeof text === 'string'
    ? ({ [word as string]: text } as ModuleReply)
    : { broke: 'it answers out of turn' }
}

async function mustLoad(children: Children<ModuleQuestion>, name: string): Promise<void> {
  const reply = await children
    .ask({ load: true }, 0)
    .then(replyIn)
    .catch(error => ({ broke: (error as Error).message }) as ModuleReply)
  if ('broke' in reply) throw new ConfigError(`${name}: from.module: ${reply.broke}`)
}

interface Opening {
  from: ModuleForm
  file: string
  name: string
}

const here = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

function childrenOf(process: Process, { from, file, name }: Opening): Children<ModuleQuestion> {
  const { now, store, tell } = process
  const said = new ModuleLines(name, tell, now)
  const settings: ModuleSettings = {
    ...{ file, hosts: from.hosts ?? [], parent: pid, mostLetters: from.most },
  }
  const views = new Set<string>()
  return new Children<ModuleQuestion>({
    file: new URL('./module-child.ts', import.meta.url),
    children: processes,
    mostWaiting,
    mostWaitingBytes: 4 << 20,
    deadlineMs: from.within,
    loadMs,
    mostMegabytes: from.memory >> 20,
    args: [JSON.stringify(settings)],
    reads: [dirname(file), ...['services', 'pipelines', 'schemas', 'node_modules', 'package.json'].map(here)],
    onSaid: line => said.hear(line),
    serve: wish =>
      viewed(wish as { view: string; parameters: Question }, { name, store, views, withinMs: from.within }),
  })
}

const mostViews = 100
const mostRowLetters = 4 << 20

/** A query of a module is read by the engine before it is asked for the first time, as the view of a file is. */
async function viewed(
  { view, parameters }: { view: string; parameters: Question },
  {
    name,
    store,
    views,
    withinMs,
  }: { name: string; store(): Promise<Store>; views: Set<string>; withinMs: number },
): Promise<string> {
  if (typeof view !== 'string' || view.length > 10_000)
    throw new Error('a view is one select of at most 10000 letters')
  try {
    if (!views.has(view)) {
      await checkQuery(view, parameters, { name, store })
      if (views.size < mostViews) views.add(view)
    }
    const signal = AbortSignal.timeout(withinMs)
    const text = await (await store()).sold(view, parameters, { signal, withinMs })
    if (text.length > mostRowLetters) throw new Error('the rows are too many')
    return `[${text.split('\n').filter(Boolean).join(',')}]`
  } catch (error) {
    if (error instanceof QueryRefused) throw new Error(`the store refused the query (${error.kind})`)
    throw error
  }
}

/** A view of the store behind an operation: one select, whose parameters the engine binds, as a user who reads facts only. */
import { z } from 'zod'
import type { Lookup } from '../../pipelines/lookups/lookup.ts'
import { waitingBy } from '../../pipelines/lookups/runner/clock.ts'
import { LookupGate } from '../../pipelines/lookups/runner/gate.ts'
import { Unsold, UpstreamAway, UpstreamFailed } from '../../pipelines/rails/failures.ts'
import { QueryRefused, type Store, StoreAway, StoreError } from '../../pipelines/rails/store/store.ts'
import { instant } from '../../schemas/values/values.ts'
import { Failure } from '../offer/errors.ts'
import type { OperationForm, ViewForm } from './form.ts'
import { feedsOf, freshnessOf } from './freshness.ts'
import { KeptAnswers } from './kept.ts'
import type { Tell } from './request.ts'
import { patience, type SellSource, type SoldValue } from './source.ts'
import type { Question } from './template.ts'
import { checkQuery } from './view-check.ts'

interface Around {
  form: OperationForm
  from: ViewForm
  name: string
  /** What the file says of the answer. */
  shape: z.ZodType
  mostKeptBytes: number
  tell: Tell
}

interface Needs {
  now(): number
  store(): Promise<Store>
}

export function viewSource({ form, from, name, shape, mostKeptBytes, tell }: Around): SellSource {
  for (const status of Object.keys(form.refuse))
    if (status !== 'none') tell(['refuse', status], 'a view has one refusal: none', { isName: true })
  checkParameters(form, from, tell)
  const { fresh } = from
  if (fresh && !feedsOf(fresh.table).length)
    tell(['from', 'fresh', 'table'], `no feed fills ${fresh.table}: there is nothing to promise`)
  if (fresh && (form.keep ?? 0) > fresh.within)
    tell(['keep'], 'it is sold again for longer than from.fresh promises')
  const row = from.rows === 'one' ? shape : z.array(shape)
  return {
    lookup: lookupOf(form, from, name, { shape: row, mostKeptBytes }),
    response: z.strictObject({
      answer: row,
      fetched_at: z.string().describe('When it was read, also where it is sold again'),
    }),
    misfits: () => [],
    ...(fresh && { checkFresh: freshnessOf(fresh) }),
  }
}

/** The rows of one answer. The engine stops at two megabytes in its own form. */
const mostLetters = 4 << 20

const parameter = /\{([^{}:]{1,100}):([^{}]{1,200})\}/g

/** The names of the parameters and those of the question are the same, and none of them names a table. */
function checkParameters({ question }: OperationForm, { view }: ViewForm, tell: Tell): void {
  const used = new Set<string>()
  for (const [, written = '', type = ''] of view.matchAll(parameter)) {
    const name = written.trim()
    used.add(name)
    const field = Object.hasOwn(question, name) ? question[name] : undefined
    if (!field) tell(['from', 'view'], `{${name}:${type}} is no field of the question`)
    else if (field.type === 'object') tell(['question', name], 'an object is no parameter of a query')
    if (/identifier/i.test(type)) tell(['from', 'view'], `{${name}:${type}} would let a payer name a table`)
  }
  for (const [name, { optional }] of Object.entries(question)) {
    if (!used.has(name)) tell(['question', name], 'it stands nowhere in the query', { isName: true })
    if (optional) tell(['question', name], 'a parameter of a query is never absent: give it a default')
  }
}

function lookupOf(
  { keep, question, example }: OperationForm,
  { view, rows, within: withinMs }: ViewForm,
  name: string,
  { shape, mostKeptBytes }: Pick<Around, 'shape' | 'mostKeptBytes'>,
): Lookup<Question, SoldValue> {
  return {
    name,
    timeoutMs: withinMs,
    needs: async ({ now, store }): Promise<Needs> => {
      await checkQuery(view, { ...defaultsOf(question), ...example.question }, { name, store })
      return { now, store }
    },
    open(needs) {
      const { now, store } = needs as Needs
      const gate = new LookupGate(name, { timeoutMs: withinMs, pausesMs: [], ...patience }, waitingBy(now))
      const kept = new KeptAnswers(keep, now, mostKeptBytes)
      return {
        atHand: question => kept.of(question),
        async find(question, { signal }) {
          const ask = () => asked(store, view, question, { signal, withinMs, name })
          const lines = linesOf(await gate.pass(ask, signal), name)
          if (!lines.length) return { refused: 'none' }
          const answer = rows === 'one' ? String(lines[0]) : `[${lines.join(',')}]`
          if (!shape.safeParse(JSON.parse(answer)).success)
            throw new Unsold(`${name}: the rows do not fit what the file says of them`)
          const at = now()
          const json = `{"answer":${answer},"fetched_at":${JSON.stringify(instant(at))}}`
          kept.keep(question, json, at)
          return { json }
        },
      }
    },
  }
}

const defaultsOf = (fields: OperationForm['question']): Question =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      field.default === undefined ? [] : [[name, field.default]],
    ),
  )

/** Rejects only where the store itself fails, so that one payer's question shuts the view for nobody else. */
async function asked(
  store: Needs['store'],
  view: string,
  question: Question,
  { name, ...options }: { signal: AbortSignal; withinMs: number; name: string },
): Promise<string | QueryRefused> {
  try {
    return await (await store()).sold(view, question, options)
  } catch (error) {
    if (error instanceof QueryRefused) return error
    if (options.signal.aborted) throw options.signal.reason
    if (error instanceof StoreAway) throw new UpstreamAway(`${name}: the store is away`)
    if (error instanceof StoreError) throw new UpstreamFailed(`${name}: the store is away`)
    throw error
  }
}

const ofOtherType = 'A value of the question is none of the type that it is asked with'

/** ClickHouse's names for a parameter that is none of its type. */
const ofParameters =
  /^(?:CANNOT_PARSE_|BAD_QUERY_PARAMETER|ARGUMENT_OUT_OF_BOUND|TYPE_MISMATCH|VALUE_IS_OUT_OF_RANGE|UNEXPECTED_DATA_AFTER)/

/** The lines of the rows. */
function linesOf(given: string | QueryRefused, name: string): string[] {
  if (typeof given === 'string') {
    if (given.length > mostLetters)
      throw new Unsold(`${name}: the rows have more than ${mostLetters} letters`)
    return given.split('\n').filter(Boolean)
  }
  if (ofParameters.test(given.kind))
    throw Object.assign(new Failure('invalid_request', ofOtherType), { asks: 1 })
  throw new Unsold(`${name}: the store refused the query (${given.kind})`)
}

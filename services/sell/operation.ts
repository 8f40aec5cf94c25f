/** An operation of a file, as every operation is declared. */
import { z } from 'zod'
import { ConfigError } from '../../pipelines/rails/environment/variables.ts'
import { Serialised } from '../offer/answer.ts'
import { errors } from '../offer/errors.ts'
import type { Operation, Refusal } from '../offer/operation.ts'
import { watchSubscribe } from '../origins/watch/own/watch-subscribe.ts'
import { bazaar } from '../till/bazaar.ts'
import { shapeIn } from './answer.ts'
import { fileBatchOf } from './batch.ts'
import type { OperationForm } from './form.ts'
import { httpSource } from './http-source.ts'
import { moduleSource } from './module/module-source.ts'
import { fieldType } from './question.ts'
import type { Tell } from './request.ts'
import type { SellEnvironment } from './secrets.ts'
import type { SellSource } from './source.ts'
import type { Question } from './template.ts'
import { viewSource } from './view-source.ts'
import { watchedOf, watchedWords } from './watched.ts'

interface Around {
  origin: string
  path: `/${string}`
  form: OperationForm
  environment: SellEnvironment
  /** Where the file says where its answers come from: file, line and column. */
  place: string
  /** Of the answers that it sells again. */
  mostKeptBytes: number
  tell: Tell
}

/** The operation, its batch and its lookup. Undefined if the file has faults: they have been told. */
export function operationOf(around: Around) {
  const { origin, path, form, tell } = around
  const id = idOf(origin, path)
  const shape = shapeOf(form, tell)
  const refusals = refusalsOf(form, tell)
  const source = shape && sourceOf(around, id, shape)
  if (!source) return undefined
  const { response, checkFresh } = source
  const lookup = placed(source.lookup, around.place)
  const request = requestOf(form, source, tell)
  checkExample(form, request, response, tell)
  checkWatch(form, tell)
  const operation: Operation = {
    id,
    path,
    title: form.title,
    about: `${form.about ?? `${form.title}.`}${form.watch ? watchedWords : ''}`,
    tags: [origin],
    price: form.price,
    costs: 'looked up',
    ...(!form.verify && isSafe(form) && { trusts: true as const }),
    request,
    response,
    refusals,
    ...(form.watch && { watched: watchedOf(form.watch) }),
    source: lineageOf(form),
    example: { request: form.example.question, response: exampleAnswer(form) },
    async answer(question, tools, refuse) {
      checkFresh?.(tools)
      const found = await tools.find(lookup, question as Question)
      if (!found) throw new Error('the lookup of a file answers every question')
      if ('json' in found) return Serialised.written(found.json)
      const { code, says } = form.refuse[found.refused] ?? nothingFound
      const named = code || found.refused
      return refuse(named as never, says ?? sentenceOf(named))
    },
  }
  const batch = fileBatchOf(operation, form)
  checkQuote(operation, 'question', tell)
  if (batch) checkQuote(batch, 'batch', tell)
  return { operations: batch ? [operation, batch] : [operation], lookup }
}

/** What is posted may change something, so nobody is trusted with it. */
const isSafe = ({ from }: OperationForm): boolean =>
  !('http' in from) || (from.method ?? (from.body === undefined ? 'GET' : 'POST')) === 'GET'

/** What stands behind from, join, in and commas may be a table. */
const read = /(?:\b(?:from|join|in)|,)\s+(?:farebox\.)?(\w+)/gi

function lineageOf({ from }: OperationForm): NonNullable<Operation['source']> {
  if ('view' in from)
    return { kind: 'a view', reads: [...from.view.matchAll(read)].map(([, name = '']) => name) }
  return { kind: 'module' in from ? 'a module' : 'an HTTP API', reads: [] }
}

/** What only its opening can tell, such as a query that no engine reads or a module that breaks, has its place, too. */
function placed(lookup: SellSource['lookup'], place: string): SellSource['lookup'] {
  const { needs } = lookup
  if (!needs) return lookup
  return {
    ...lookup,
    async needs(process) {
      try {
        return await needs(process)
      } catch (error) {
        throw error instanceof ConfigError ? new ConfigError(`${place} ${error.message}`) : error
      }
    },
  }
}

/** Whoever subscribes gets the answer with his subscription, and each new one for a month. */
function checkWatch({ watch, price }: OperationForm, tell: Tell): void {
  if (watch && Number(price) > Number(watchSubscribe.price))
    tell(
      ['watch'],
      `one answer costs ${price}, and a subscription, which brings the answers of 30 days, costs ${watchSubscribe.price}: nobody would buy the answer`,
    )
}

function checkQuote(operation: Operation, word: string, tell: Tell): void {
  const bytes = Buffer.byteLength(JSON.stringify(bazaar(operation, false)) + operation.about)
  if (bytes > mostQuoteBytes)
    tell(
      [word],
      `with example and about it takes ${bytes} bytes of a quote, which has room for ${mostQuoteBytes}`,
    )
}

/** The header of a 402 has 6 KB in base64, also for the offers of all networks. */
const mostQuoteBytes = 2_000

/** Where the file gives no other code to a view without a row. */
const nothingFound = { code: 'nothing_found', says: undefined }

/** The name of an operation in receipts, metrics and settlements: tidesTide of the path /tide. */
const idOf = (origin: string, path: string): string =>
  origin + path.replace(/[/_-]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const sentenceOf = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ')

function sourceOf(
  { origin, form, environment, mostKeptBytes, tell }: Around,
  name: string,
  shape: z.ZodType,
): SellSource | undefined {
  const { from } = form
  if ('module' in from)
    return moduleSource({ origin, form, from, environment, name, shape, mostKeptBytes, tell })
  for (const [status, { code }] of Object.entries(form.refuse))
    if (!code) tell(['refuse', status], 'a code such as unknown_station, or { code, says }')
  if ('view' in from) return viewSource({ form, from, name, shape, mostKeptBytes, tell })
  return httpSource({ origin, form, from, environment, options: { name, shape }, mostKeptBytes, tell })
}

function requestOf({ question }: OperationForm, { misfits }: SellSource, tell: Tell): z.ZodObject {
  const fields = Object.entries(question).map(([name, field]) => [
    name,
    fieldType(field, (word, message) => tell(['question', name, word], message)),
  ])
  return z.strictObject(Object.fromEntries(fields)).superRefine((asked, context) => {
    for (const { field, message } of misfits(asked as Question))
      context.addIssue({ code: 'custom', path: [field], message })
  })
}

function refusalsOf({ refuse, from }: OperationForm, tell: Tell): Record<string, Refusal> {
  const declared = { ...('view' in from ? { none: nothingFound } : {}), ...refuse }
  const refusals: Record<string, Refusal> = {}
  for (const [status, { code: given, says: sentence }] of Object.entries(declared)) {
    const code = given || status
    const says = sentence ?? sentenceOf(code)
    if (Object.hasOwn(errors, code))
      tell(['refuse', status], `${code} is a code of every call: choose another`)
    refusals[code] = { status: 422, about: says }
  }
  return refusals
}

function shapeOf({ answer, from }: OperationForm, tell: Tell): z.ZodType | undefined {
  if (answer === undefined) return shapeIn(answer)
  if ('gives' in from && from.gives !== 'json')
    tell(['answer'], 'it is JSON Schema, and what comes back here is not JSON')
  const unread = unreadIn(answer)
  if (unread !== undefined) tell(['answer'], unread)
  try {
    return shapeIn(answer)
  } catch (error) {
    tell(['answer'], `it cannot be read as JSON Schema: ${(error as Error).message}`)
    return undefined
  }
}

/**
 * zod asks for the properties that it knows, so a name that is required without being one would be a wish that nobody reads. And a
 * pattern could be kept busy by what comes back.
 */
function unreadIn(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  const { required, properties = {} } = schema as { required?: unknown; properties?: object }
  const names = Array.isArray(required) ? required.map(String) : []
  const unread = names.find(name => !Object.hasOwn(properties, name))
  if (unread !== undefined) return `${unread} is required, and is none of the properties beside it`
  for (const [word, each] of Object.entries(schema)) {
    const isPattern = (word === 'pattern' && typeof each === 'string') || word === 'patternProperties'
    const found = isPattern ? `${word} is not read in answers` : unreadIn(each)
    if (found !== undefined) return found
  }
  return undefined
}

function checkExample(form: OperationForm, request: z.ZodType, response: z.ZodType, tell: Tell): void {
  const asked = request.safeParse(form.example.question)
  for (const { path, message } of asked.error?.issues ?? []) tell(['example', 'question', ...path], message)
  const answer = exampleAnswer(form)
  if (answer !== undefined && !response.safeParse(answer).success)
    tell(['example', 'answer'], 'it is not what comes back here')
}

/** An invented time: the example is a form, and the answer in it is the operator's word. */
const exampleAt = '2026-01-01T00:00:00.000Z'

function exampleAnswer({ example: { answer }, from }: OperationForm) {
  if (answer === undefined) return undefined
  const media =
    'gives' in from
      ? { text: 'text/plain', bytes: 'application/octet-stream', json: undefined }[from.gives]
      : undefined
  return { answer, ...(media && { media_type: media }), fetched_at: exampleAt }
}

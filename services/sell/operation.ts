/** An operation of a file, as every operation is declared. */
import { z } from 'zod'
import { Serialised } from '../offer/answer.ts'
import { errors } from '../offer/errors.ts'
import type { Operation, Refusal } from '../offer/operation.ts'
import { responses } from './answer.ts'
import type { Path } from './document.ts'
import type { OperationForm } from './form.ts'
import { httpLookup } from './http-lookup.ts'
import { fieldType } from './question.ts'
import { misfitAt, planOf, type Tell } from './request.ts'
import { secretsOf } from './secrets.ts'
import type { Question } from './template.ts'

interface Around {
  origin: string
  path: `/${string}`
  form: OperationForm
  /** The environment, and which of its variables the service itself has. */
  environment: Parameters<typeof secretsOf>[2]
  tell: Tell
}

/** The operation and its lookup. Undefined if the file has faults: they have been told. */
export function operationOf({ origin, path, form, environment, tell }: Around) {
  const within =
    (...start: Path): Tell =>
    (rest, ...told) =>
      tell([...start, ...rest], ...told)
  const fields = Object.fromEntries(
    Object.entries(form.question).map(([name, field]) => [
      name,
      fieldType(field, (word, message) => tell(['question', name, word], message)),
    ]),
  )
  const plan = planOf(form.from, form.question, within('from'))
  const shape = shapeOf(form, tell)
  const refusals = refusalsOf(form, tell)
  if (!plan || !shape) return undefined
  const secrets = secretsOf(origin, plan.variables, environment, within('from'))
  const request = z.strictObject(fields).superRefine((question: Question, context) => {
    for (const { field, place } of plan.uses) {
      const message = misfitAt(place, question[field])
      if (message) context.addIssue({ code: 'custom', path: [field], message })
    }
  })
  const id = idOf(origin, path)
  const options = { name: id, gives: form.from.gives, shape, secrets }
  const refused = new Set(Object.keys(form.refuse).map(Number))
  const lookup = httpLookup({ plan, from: form.from, keepMs: form.keep, refused, options })
  checkExample(form, request, shape, tell)
  const operation: Operation = {
    id,
    path,
    title: form.title,
    about: form.about ?? `${form.title}.`,
    tags: [origin],
    price: form.price,
    costs: 'looked up',
    request,
    response: responses[form.from.gives](shape),
    refusals,
    example: { request: form.example.question, response: exampleAnswer(form) },
    async answer(question, { find }, refuse) {
      const found = await find(lookup, question as Question)
      if (!found) throw new Error('the lookup of a file answers every question')
      if ('json' in found) return Serialised.written(found.json)
      const { code, says } = form.refuse[found.refused] ?? {}
      return refuse(code as never, says ?? sentenceOf(code ?? ''))
    },
  }
  return { operation, lookup }
}

/** The name of an operation in receipts, metrics and settlements: tidesTide of the path /tide. */
const idOf = (origin: string, path: string): string =>
  origin + path.replace(/[/_-]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const sentenceOf = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ')

function refusalsOf({ refuse }: OperationForm, tell: Tell): Record<string, Refusal> {
  const refusals: Record<string, Refusal> = {}
  for (const [status, { code, says = sentenceOf(code) }] of Object.entries(refuse)) {
    if (Object.hasOwn(errors, code))
      tell(['refuse', status], `${code} is a code of every call: choose another`)
    refusals[code] = { status: 422, about: says }
  }
  return refusals
}

function shapeOf({ answer, from }: OperationForm, tell: Tell): z.ZodType | undefined {
  if (answer === undefined) return z.unknown()
  if (from.gives !== 'json') tell(['answer'], 'it is JSON Schema, and what comes back here is not JSON')
  try {
    return z.fromJSONSchema(answer as Parameters<typeof z.fromJSONSchema>[0])
  } catch (error) {
    tell(['answer'], `it cannot be read as JSON Schema: ${(error as Error).message}`)
    return undefined
  }
}

function checkExample(
  { example, from }: OperationForm,
  request: z.ZodType,
  shape: z.ZodType,
  tell: Tell,
): void {
  const asked = request.safeParse(example.question)
  for (const { path, message } of asked.error?.issues ?? []) tell(['example', 'question', ...path], message)
  if (example.answer !== undefined && from.gives === 'json' && !shape.safeParse(example.answer).success)
    tell(['example', 'answer'], 'it does not fit what answer says')
}

/** An invented time: the example is a form, and the answer in it is the operator's word. */
const exampleAt = '2026-01-01T00:00:00.000Z'

function exampleAnswer({ example: { answer }, from: { gives } }: OperationForm) {
  if (answer === undefined) return undefined
  const media = { text: 'text/plain', bytes: 'application/octet-stream', json: undefined }[gives]
  return { answer, ...(media && { media_type: media }), fetched_at: exampleAt }
}

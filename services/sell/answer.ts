/** What an operation of a file answers: what came back, as data in JSON, and when. */
import { z } from 'zod'
import { Unsold } from '../../pipelines/rails/failures.ts'
import { readStrictJson } from '../../schemas/values/strict-json.ts'
import { instant } from '../../schemas/values/values.ts'
import type { HttpForm } from './form.ts'
import { repeats } from './secrets.ts'
import type { UpstreamReply } from './upstream.ts'

type Gives = HttpForm['gives']

const fetchedAt = z.string().describe('When it was fetched, also where it is sold again')
const mediaType = z.string().describe('The media type that it came with')

export const responses: Record<Gives, (answer: z.ZodType) => z.ZodObject> = {
  json: answer => z.strictObject({ answer, fetched_at: fetchedAt }),
  text: () => z.strictObject({ answer: z.string(), media_type: mediaType, fetched_at: fetchedAt }),
  bytes: () =>
    z.strictObject({
      answer: z.base64().describe('The bytes in base64'),
      media_type: mediaType,
      fetched_at: fetchedAt,
    }),
}

export interface AnswerOptions {
  /** The name of the operation in messages. */
  name: string
  gives: Gives
  /** What the file says of the answer. */
  shape: z.ZodType
  secrets: ReadonlyMap<string, string>
}

export type AnswerSchema = Readonly<Record<string, unknown>> | undefined

/** To a caller, null is no answer, unless the file says so. Throws where it cannot be read as JSON Schema. */
export const shapeIn = (schema: AnswerSchema): z.ZodType =>
  schema === undefined
    ? z.unknown().refine(value => value !== null)
    : z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])

/** The JSON text of the answer. Throws where the file promises something else: then the call is free. */
export function answerText({ bytes, type }: UpstreamReply, at: number, options: AnswerOptions): string {
  const { name, gives, secrets } = options
  const text = gives === 'bytes' ? bytes.toString('base64') : readText(bytes, name)
  const answer = gives === 'json' ? checkedJson(text, options) : JSON.stringify(text)
  const media = gives === 'json' ? '' : `,"media_type":${JSON.stringify(mediaTypeOf(type))}`
  const sold = `{"answer":${answer}${media},"fetched_at":${JSON.stringify(instant(at))}}`
  if (repeats(sold, secrets) || (gives === 'bytes' && repeats(bytes.toString('latin1'), secrets)))
    throw new Unsold(`${name}: the answer repeats a secret`)
  return sold
}

function readText(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Unsold(`${name}: answered with bytes that are no UTF-8`)
  }
}

/** The text as it came, so that each number keeps its digits. */
function checkedJson(text: string, { name, shape }: AnswerOptions): string {
  let value: unknown
  try {
    value = readStrictJson(text)
  } catch {
    throw new Unsold(`${name}: answered with no JSON that can be read in one way only`)
  }
  if (!shape.safeParse(value).success)
    throw new Unsold(
      `${name}: the answer${value === null ? ', null,' : ''} does not fit what the file says of it`,
    )
  return text.trim()
}

const mediaForm = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/

function mediaTypeOf(type: string): string {
  const [media = ''] = type.split(/[;,]/)
  return mediaForm.test(media.trim()) ? media.trim().toLowerCase() : 'application/octet-stream'
}

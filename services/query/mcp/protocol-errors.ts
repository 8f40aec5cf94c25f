/**
 * The SDK refuses some messages before we see them: a form that is wrong, a version that it does not know. Every error says whether a
 * payment beside it was taken, so these are told, too, and in words.
 */
import { withItsDigits } from '../../offer/answer.ts'
import { errorBody, type Word } from '../../offer/errors.ts'
import { isObject } from '../../till/header.ts'

interface ProtocolError {
  code: number
  message: string
  data?: unknown
}

/** An error stands before anything that is long. Within a result it would be part of a text, or rare. */
const mayHaveError = (text: string): boolean => text.includes('"error":{"code":-')

/** `wordFor` tells what is known of the payments in a message, or in all messages of a batch. */
export async function withCharges(
  text: string,
  sent: unknown,
  wordFor: (messages: unknown) => Promise<Word | undefined>,
): Promise<string> {
  if (!mayHaveError(text)) return text
  const answers = withItsDigits(text)
  const told = await Promise.all([answers].flat().map(answer => withCharge(answer, sent, wordFor)))
  return JSON.stringify(Array.isArray(answers) ? told : told[0])
}

async function withCharge(
  answer: unknown,
  sent: unknown,
  wordFor: (messages: unknown) => Promise<Word | undefined>,
): Promise<unknown> {
  if (!isObject(answer) || !isObject(answer.error)) return answer
  const { code, message, data } = answer.error as unknown as ProtocolError
  const known = isObject(data) ? data : {}
  // A host shows its model the message alone.
  if (Object.hasOwn(known, 'charged'))
    return { ...answer, error: { code, message: String(known.message), data } }
  const its = [sent].flat().filter(each => isObject(each) && each.id === answer.id)
  const word = (await wordFor(its.length ? its : sent)) ?? null
  const body = errorBody(code === internal ? 'internal_error' : 'invalid_request', inWords(message), word)
  return { ...answer, error: { code, message: body.message, data: { ...known, ...body } } }
}

const internal = -32_603

/** The SDK writes its code before a message, and the findings of its schema, as JSON, behind it. */
export function inWords(message: string): string {
  const plain = message.replace(/^MCP error -?\d+: /, '')
  const from = plain.indexOf('[')
  const findings = from < 0 ? undefined : findingsIn(plain.slice(from))
  return findings ? `${plain.slice(0, from).trimEnd()} ${findings}` : plain
}

function findingsIn(json: string): string | undefined {
  try {
    const found = JSON.parse(json) as { path: string[]; message: string }[]
    return found.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  } catch {
    return undefined
  }
}

/** The process that judges attestations. */
import { readStrictJson, UnfitJson } from '../../../schemas/values/strict-json.ts'
import { answerQuestions } from '../../rails/children/child-answers.ts'
import type { Judged, JudgingQuestion, Known } from './judges.ts'
import { type Trust, trustIn } from './stamps/trust.ts'
import { noteVerifier } from './tlog/note.ts'
import { verify } from './verification.ts'

/** Reading Mozilla's roots takes longer than most questions. */
const trusts = new Map<string, Trust>()

function trustOf(roots = ''): Trust {
  const known = trusts.get(roots) ?? trustIn(roots)
  trusts.set(roots, known)
  return known
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function judge(text: string, { keys, verifierKeys, roots }: Known): Judged {
  const body = read(text)
  if (body instanceof SyntaxError)
    return { unfit: body instanceof UnfitJson ? body.message : 'The body is not valid JSON' }
  if (!isObject(body)) return { unfit: 'The body should be an object' }
  const { left_out: _, ...given } = isObject(body.attestation) ? body.attestation : body
  if (!isObject(given.statement) || !isObject(given.signature))
    return { none: 'An attestation has a statement and a signature' }
  const logs = verifierKeys.flatMap(key => noteVerifier(key) ?? [])
  return { verdict: verify(given, { keys, logs, trust: trustOf(roots) }) }
}

function read(text: string): unknown {
  try {
    return readStrictJson(text)
  } catch (error) {
    return error
  }
}

answerQuestions(({ text, known }: JudgingQuestion) => judge(text, known))

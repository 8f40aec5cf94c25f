/**
 * The hashes of question and answer for analysts. Both often come from a small set, such as IPv4 addresses or currency pairs. A
 * plain hash beside the payer could be found by trying all of them.
 */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import type { SaleItem } from '../till.ts'

export function hashesOf(
  { path, holdsSecret }: Pick<SaleItem, 'path' | 'holdsSecret'>,
  question: string,
  answer: string,
) {
  const key = randomBytes(32)
  // An HMAC with a bare buffer as its key takes three times as long.
  const secret = createSecretKey(key)
  const keyed = (text: string) => createHmac('sha256', secret).update(text).digest('hex')
  return {
    holds_secret: holdsSecret === true,
    hash_key: key.toString('hex'),
    question_sha256: keyed(JSON.stringify([path, question])),
    // A waiting subscription finds such an answer by its plain hash. The secret in the answer hides the rest.
    answer_sha256: holdsSecret ? sha256(answer) : keyed(answer),
  }
}

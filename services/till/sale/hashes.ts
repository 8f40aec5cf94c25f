/**
 * What analysts see of question and answer. Both are often one of a few: an address of IPv4, a pair of currencies. A
 * plain hash beside the payer would tell them to whoever tries all.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import type { Product } from '../till.ts'

export function hashesOf(
  { path, holdsSecret }: Pick<Product, 'path' | 'holdsSecret'>,
  question: string,
  answer: string,
) {
  const key = randomBytes(32)
  const keyed = (text: string) => createHmac('sha256', key).update(text).digest('hex')
  return {
    holds_secret: holdsSecret === true,
    hash_key: key.toString('hex'),
    question_sha256: keyed(JSON.stringify([path, question])),
    // What waits for the settlement of such an answer knows it by its hash, and its secret hides what else it says.
    answer_sha256: holdsSecret ? sha256(answer) : keyed(answer),
  }
}

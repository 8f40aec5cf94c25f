/**
 * The hashes of question and answer for analysts. Both often come from a small set, such as IPv4 addresses or currency pairs. A
 * plain hash beside the payer could be found by trying all of them.
 */
import { randomFillSync } from 'node:crypto'
import { sha256, sha256Behind } from '../../../pipelines/rails/signing/sha256.ts'
import type { SaleItem } from '../till.ts'

const keyBytes = 32
const stock = Buffer.alloc(256 * keyBytes)
let used = stock.length

/** In hex. They are made many at once, because one call of the generator takes as long as the hashes. */
function freshKey(): string {
  if (used === stock.length) {
    randomFillSync(stock)
    used = 0
  }
  used += keyBytes
  return stock.toString('hex', used - keyBytes, used)
}

export function hashesOf(
  { path, holdsSecret }: Pick<SaleItem, 'path' | 'holdsSecret'>,
  question: string,
  answer: string,
) {
  const key = freshKey()
  const keyed = (text: string) => sha256Behind(key, text)
  return {
    holds_secret: holdsSecret === true,
    hash_key: key,
    question_sha256: keyed(JSON.stringify([path, question])),
    // A waiting subscription finds such an answer by its plain hash. The secret in the answer hides the rest.
    answer_sha256: holdsSecret ? sha256(answer) : keyed(answer),
  }
}

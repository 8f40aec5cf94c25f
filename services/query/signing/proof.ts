/** What a settlement holds that was signed: the receipt, and the question and answer beside it. Strangers write it, too. */
import { z } from 'zod'
import { isFormed, isSignature, type Kind, signerOf } from '../../../pipelines/rails/signing/eip712.ts'
import { readStrictJson } from '../../../schemas/values/strict-json.ts'
import { answerKind, extension, receiptKind, type Signed } from './signer.ts'

export type Proof = Pick<Signed, 'payload' | 'signature'>

export const signed = z.strictObject({
  format: z.literal('eip712').optional(),
  payload: z.record(z.string(), z.union([z.string(), z.number()])),
  signature: z.string(),
})
const settled = z.looseObject({
  extensions: z.looseObject({
    [extension]: z.looseObject({ info: z.looseObject({ receipt: signed, answer: signed }) }),
  }),
})

/** PAYMENT-RESPONSE, as it came or decoded. */
export const settlementIn = (given: unknown): unknown => (typeof given === 'string' ? decoded(given) : given)

export function signedIn(settlement: unknown): { receipt?: Proof; answer?: Proof } {
  const read = settled.safeParse(settlement)
  const info = (
    read.data?.extensions[extension] as { info?: Record<'receipt' | 'answer', Proof> } | undefined
  )?.info
  return info ?? {}
}

/** A receipt with other fields, or with the same in another form, is not as we gave it. */
export const by = (kind: Kind, { payload, signature }: Proof): string | undefined =>
  isFormed(kind, payload) && isSignature(signature) ? signerOf(kind, payload, signature) : undefined

/** What a receipt and its answer have in common. A transaction may hold many payments, of one payer or of many. */
const sameIn = ['transaction', 'payer', 'resourceUrl'] as const

/** Are both signed by one of these, for one and the same sale? */
export function isSignedBy(
  { receipt, answer }: { receipt: Proof; answer: Proof },
  addresses: readonly string[],
): boolean {
  const signers = [by(receiptKind, receipt), by(answerKind, answer)]
  return (
    signers.every(each => each !== undefined && addresses.includes(each)) &&
    sameIn.every(name => receipt.payload[name] === answer.payload[name])
  )
}

function decoded(base64: string): unknown {
  try {
    return readStrictJson(Buffer.from(base64, 'base64').toString())
  } catch {
    return undefined
  }
}

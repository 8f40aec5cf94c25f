/**
 * Checks the signatures of a settlement (x402's offer-receipt extension): that the seller's key signed the receipt, the question and
 * the answer, and that the words beside the signatures say the same. Nobody is asked.
 */
import { createHash } from 'node:crypto'
import { canonical } from './canonical.ts'
import { answerKind, type Kind, receiptKind } from './kinds.ts'
import { networks } from './networks.ts'
import { fromBase64 } from './quote.ts'
import type { Result } from './results.ts'

/** The result of a call, a settlement, or the value of PAYMENT-RESPONSE. */
export type Paid = Result | { settlement?: object | string; answer?: object } | object | string

export interface Checked {
  /** The seller signed it, and what was given along with it is what was paid for. */
  valid: boolean
  signer: string | null
  /** What was signed. null where no receipt is there. */
  receipt: Record<string, string | number> | null
  /** null where no question is given. */
  question_matches: boolean | null
  /** null where no answer is there. */
  answer_matches: boolean | null
}

type Json = Record<string, unknown>
interface Proof {
  payload: Record<string, string | number>
  signature: `0x${string}`
}

export async function verified(
  paid: Paid,
  { signers, question }: { signers: readonly string[]; question?: object | undefined },
): Promise<Checked> {
  const { settlement, answer, shown } = partsOf(paid)
  const proofs = proofsIn(settlement)
  if (!proofs)
    return { valid: false, signer: null, receipt: null, question_matches: null, answer_matches: null }
  const [receipt, answered] = proofs
  const by = [await signerOf(receiptKind, receipt), await signerOf(answerKind, answered)]
  const ours = new Set(signers.map(each => each.toLowerCase()))
  const [told, said] = [receipt.payload, answered.payload]
  const isTogether = (['transaction', 'payer', 'resourceUrl'] as const).every(
    name => told[name] === said[name],
  )
  const { receipt: _, ...bare } = answer ?? {}
  const question_matches = question === undefined ? null : hashOf(question) === said.questionSha256
  const answer_matches = answer === undefined ? null : hashOf(bare) === said.answerSha256
  return {
    valid:
      by.every(each => each !== undefined && ours.has(each)) &&
      isTogether &&
      isVouchedFor(told, settlement, shown) &&
      question_matches !== false &&
      answer_matches !== false,
    signer: by[0] ?? null,
    receipt: Object.fromEntries(
      Object.entries(told).filter(([name]) => Object.hasOwn(receiptKind.fields, name)),
    ),
    question_matches,
    answer_matches,
  }
}

/** `shown`: the receipts that are written for readers. */
function partsOf(paid: Paid): { settlement: Json; answer?: Json; shown: unknown[] } {
  const whole = objectIn(paid)
  if (whole.settlement === undefined && whole.answer === undefined) return { settlement: whole, shown: [] }
  const answer = whole.answer === undefined ? undefined : objectIn(whole.answer)
  const shown = [answer?.receipt, whole.receipt].filter(each => each !== undefined)
  return { settlement: objectIn(whole.settlement), ...(answer && { answer }), shown }
}

/** Anybody may have written it. */
const objectIn = (value: unknown): Json => {
  const read = typeof value === 'string' ? fromBase64(value.trim()) : value
  return typeof read === 'object' && read !== null ? (read as Json) : {}
}

function proofsIn(settlement: Json): [receipt: Proof, answer: Proof] | undefined {
  const { info } = objectIn(objectIn(settlement.extensions)['offer-receipt'])
  const { receipt, answer } = objectIn(info)
  return isProof(receipt) && isProof(answer) ? [receipt, answer] : undefined
}

function isProof(value: unknown): value is Proof {
  const { format = 'eip712', payload, signature, ...others } = objectIn(value)
  return (
    format === 'eip712' &&
    Object.keys(others).length === 0 &&
    typeof payload === 'object' &&
    payload !== null &&
    typeof signature === 'string'
  )
}

const forms: Record<Kind['fields'][string], (value: unknown) => boolean> = {
  string: value => typeof value === 'string' && !/\p{Surrogate}/u.test(value),
  uint256: value => Number.isSafeInteger(value) && Number(value) >= 0,
  bytes32: value => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value),
}

/**
 * A signature says nothing of fields that its kind does not have, and holds for look-alikes: "0x1" and 1 are one number to it. A
 * receipt with either is not as it was given.
 */
async function signerOf(
  { domain, name, fields }: Kind,
  { payload, signature }: Proof,
): Promise<string | undefined> {
  const given = Object.entries(payload)
  const isFormed =
    given.length === Object.keys(fields).length &&
    given.every(([each, value]) => Object.hasOwn(fields, each) && forms[fields[each] as 'string'](value))
  if (!isFormed || !/^0x[0-9a-f]{128}1[bc]$/.test(signature)) return undefined
  const { recoverTypedDataAddress } = await import('viem')
  try {
    const signer = await recoverTypedDataAddress({
      domain: { name: domain, version: '1', chainId: 1 },
      types: { [name]: Object.entries(fields).map(([each, type]) => ({ name: each, type })) },
      primaryType: name,
      message: payload,
      signature,
    })
    return signer.toLowerCase()
  } catch {
    // A stranger wrote it: the signature is none.
    return undefined
  }
}

const sameIn = new Set(['network', 'payer', 'transaction'])

/**
 * Whether the words beside the signatures say what was signed, as far as they say it. `request_id`, `fetched_at`, `tool` and
 * `price_usdc` stand under no signature, and must have their form alone.
 */
function isVouchedFor(signed: Proof['payload'], settlement: Json, shown: readonly unknown[]): boolean {
  const { extensions: _, success = true, ...told } = settlement
  const isSame = Object.entries(told).every(([name, value]) => sameIn.has(name) && value === signed[name])
  return success === true && isSame && shown.every(each => isReceipt(each, signed))
}

const isText = (value: unknown): boolean => typeof value === 'string'

function isReceipt(value: unknown, signed: Proof['payload']): boolean {
  const known = networks.find(({ id }) => id === signed.network)
  const fits: Record<string, (value: unknown) => boolean> = {
    ...{ request_id: isText, fetched_at: isText, tool: isText },
    price_usdc: price => typeof price === 'number' && price >= 0,
    charged: charged => charged === true,
    // A test network has the name of its main network.
    network: name => known?.name === name || (isText(name) && known?.name.startsWith(`${name}-`) === true),
    payment_tx: tx => tx === signed.transaction,
    replayed: replayed => replayed === true,
    charged_now: charged => charged === false,
  }
  // The caller may have chosen some of its fields.
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(([name, each]) => Object.hasOwn(fits, name) && fits[name]?.(each))
  )
}

/** undefined: it has no canonical form. */
function hashOf(value: object): string | undefined {
  try {
    return `0x${createHash('sha256').update(canonical(value)).digest('hex')}`
  } catch {
    return undefined
  }
}

/**
 * Payments that are about to be settled, each with its answer, and how they ended. After a crash, this keeps every
 * promise.
 */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset.ts'
import { receiptNetworks } from './networks.ts'
import { Decimal, Instant, Sha256 } from './values.ts'

const evmTrace = z.object({
  network: z.string(),
  from: z.string(),
  to: z.string(),
  value: z.string(),
  nonce: z.string(),
  valid_before: z.int(),
})

const svmTrace = z.object({
  network: z.string(),
  source: z.string(),
  message_sha256: Sha256,
  blockhash: z.string(),
})

/**
 * What we must know of a payment to find out on chain whether the money moved. It is not strict: earlier versions
 * wrote the chain's name too, and none of their intents may be lost.
 */
const trace = z.union([evmTrace, svmTrace])

const intent = z.strictObject({
  intended_at: Instant,
  origin: z.string().default('data'),
  operation: z.string(),
  network: z.enum(receiptNetworks),
  price_usdc: Decimal,
  payer: z.string(),
  pay_to: z.string(),
  /** A hash of path, question and the bytes of the payment. Whoever presents the same again gets the answer. */
  fingerprint: Sha256,
  question_sha256: Sha256,
  answer_sha256: Sha256,
  /**
   * The keys that replay the answer: the Idempotency-Key and the payment identifier, each hashed with what it is
   * bound to.
   */
  keys: z.array(Sha256),
  /** The payment cannot move money after this. */
  dead_at: Instant,
  answer: z.string(),
  trace,
})

const fields = {
  /** It stands first, so that a process knows its own records without reading further. */
  by: field(z.string(), 'String', 'The process that wrote the step'),
  spend_id: field(
    Sha256,
    'FixedString(64)',
    'The id of the payment: it is the same in whatever form the payment comes',
  ),
  request_id: field(z.string(), 'String', 'The request of the receipt'),
  step: field(
    z.enum(['intended', 'settled', 'failed', 'delivered']),
    'String',
    'intended: about to be settled; settled, failed: how that ended; delivered: the payer has the answer',
  ),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When'),
  payment_tx: field(z.string().nullable(), 'Nullable(String)', 'The transaction, once settled'),
  intent: field(intent.nullable(), 'Nullable(String)', 'Only with the step intended'),
}

export type EvmTrace = z.output<typeof evmTrace>
export type SvmTrace = z.output<typeof svmTrace>
export type Trace = z.output<typeof trace>
export type Intent = z.output<typeof intent>
export type TillStep = RowOf<typeof fields>

export const tillIntents = defineDataset({
  name: 'till_intents',
  about: 'Payments that are not finished, with their answers, which belong to the payers alone',
  fields,
  key: ['spend_id'],
  identity: ['spend_id', 'request_id', 'step'],
  audience: 'log',
  keep: { ms: 60 * 60_000 },
})

/** What is about to be settled, with its answer, and what became of it: enough to keep every promise after a crash. */
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
 * All that a chain must know to tell whether the money moved. Not strict: intents of earlier versions named the chain
 * as well, and none of them may be lost.
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
  /** Path, question and the bytes of the payment: who presents the same again is owed the answer. */
  fingerprint: Sha256,
  question_sha256: Sha256,
  answer_sha256: Sha256,
  /** Under which the answer is replayed: the Idempotency-Key, the payment identifier, hashed with what they bind. */
  keys: z.array(Sha256),
  /** The payment cannot move money after this. */
  dead_at: Instant,
  /** As it is, compressed, or the name of the blob that holds it. */
  answer: z.string(),
  trace,
})

const fields = {
  /** Stands first, so that a process knows its own without reading on. */
  by: field(z.string(), 'String', 'The process that says so'),
  spend_id: field(Sha256, 'FixedString(64)', 'One payment, one id, whatever its form'),
  request_id: field(z.string(), 'String', 'The request of the receipt'),
  step: field(
    z.enum(['intended', 'settled', 'failed', 'delivered']),
    'String',
    'intended: about to be settled; settled, failed: how that ended; delivered: the payer has the answer',
  ),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When'),
  payment_tx: field(z.string().nullable(), 'Nullable(String)', 'The transaction, once settled'),
  intent: field(intent.nullable(), 'Nullable(String)', 'With the step intended'),
}

export type EvmTrace = z.output<typeof evmTrace>
export type SvmTrace = z.output<typeof svmTrace>
export type Trace = z.output<typeof trace>
export type Intent = z.output<typeof intent>
export type TillStep = RowOf<typeof fields>

export const tillIntents = defineDataset({
  name: 'till_intents',
  about: 'Payments in the making, with their answers; nobody’s data but the payer’s',
  fields,
  key: ['spend_id'],
  identity: ['spend_id', 'request_id', 'step'],
  audience: 'log',
  keep: { ms: 60 * 60_000 },
})

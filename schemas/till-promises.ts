/** The purchase of each payment, with its answer and its outcome. All records have one order: the first promise wins. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { receiptNetworks } from './tables/networks.ts'
import { plainAddress } from './tables/stablecoins.ts'
import { Decimal, Instant, Sha256 } from './values/values.ts'

/**
 * No till writes a longer name, number or address. Whoever may write the topic must not fill the memory of each seller
 * with one.
 */
export const mostLetters = 200
/** A promise has two keys at most. */
export const mostKeys = 8
export const word = z.string().max(mostLetters)
/** Of digits an integer is made, which takes squares of them. */
export const mostDigits = 40
/** Older records have addresses as their payers wrote them, and nodes do not take each spelling. */
const plain = word.overwrite(plainAddress)

export const evmTrace = z.object({
  network: word,
  from: plain,
  to: plain,
  value: word,
  nonce: word,
  valid_before: z.int(),
})

export const svmTrace = z.object({
  network: word,
  source: word,
  message_sha256: Sha256,
  blockhash: word,
})

/** The facts with which a chain can tell whether the money has moved. */
const trace = z.union([evmTrace, svmTrace])

/** What a newer version adds here is passed over: an older one that cannot read a promise would have its payment wait. */
export const promised = z.object({
  promised_at: Instant,
  /** The time of the first promise, if this payment was refused before: it may have moved money since then. */
  since: Instant.nullable().default(null),
  origin: word,
  operation: word,
  network: z.enum(receiptNetworks),
  price_usdc: Decimal.max(mostDigits),
  payer: plain,
  pay_to: word,
  /** Covers path, question and payment. All of them may be public, so it identifies the purchase, but never the owner. */
  fingerprint: Sha256,
  /**
   * Names the first caller for this payment, with a key that is deleted after two days (till-secrets.ts). Null if the
   * caller is unknown.
   */
  caller: Sha256.nullable().default(null),
  question_sha256: Sha256,
  answer_sha256: Sha256,
  /** Stands before the text in both hashes. Together with question and answer it proves the sale, and it is deleted with the promise. */
  hash_key: word.default(''),
  /** After this time the payment cannot move money. */
  dead_at: Instant,
  /** The answer itself, compressed, or the name of its blob. */
  answer: z.string(),
  /** The answer holds a secret, so nobody can make it again. */
  holds_secret: z.boolean().default(false),
  trace,
})

/**
 * The keys that replay the answer: the Idempotency-Key and the payment identifier, each hashed with the data it is
 * bound to.
 */
export const keys = z.array(Sha256).max(mostKeys)

const fields = {
  /** The first field, so that a process recognises its own records without reading further. */
  by: field(word, 'String', 'The run of a process that says so'),
  step: field(
    z.enum([
      'beat',
      'announced',
      'promised',
      'yielded',
      'taken',
      'settled',
      'failed',
      'refused',
      'delivered',
      'returned',
    ]),
    'String',
    'beat: the run is alive; announced: its answer is being made; promised: about to be settled; yielded: another was first; taken: another run works on it now; settled, failed: how that ended; refused: the facilitator says that it sent nothing, and the chain is watched until it cannot move any more; delivered: settled, and the payer has the answer; returned: nobody works on it',
  ),
  spend_id: field(word, 'String', 'One payment, one id, whatever its form'),
  request_id: field(word, 'String', 'The request of the receipt'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When'),
  keys: field(keys, 'Array(String)', 'What it claims beside the payment'),
  payment_tx: field(word.nullable(), 'Nullable(String)', 'The transaction, once settled'),
  payment_position: field(
    // Older records have no value.
    z.int().min(0).nullable().default(null),
    'Nullable(UInt32)',
    'The place of its own transfer in the block or transaction, once the chain has shown it',
  ),
  promised: field(promised.nullable(), 'Nullable(String)', 'With the step promised'),
  paying: field(
    // It stands beside the promise, where older versions pass over what they do not know. Older records have no value.
    z.string().nullable().default(null),
    'Nullable(String)',
    'With the step promised: the signed payment, unless it is long, so that any process can settle it again if its chain takes it back while it lives. It is no secret: it moves this money to us once, and who has it can do no more',
  ),
}

export type EvmTrace = z.output<typeof evmTrace>
export type SvmTrace = z.output<typeof svmTrace>
export type Trace = z.output<typeof trace>
export type Promised = z.output<typeof promised>
export type TillStep = RowOf<typeof fields>
/** A promise with the payment that it is for. */
export type SignedPromise = Pick<TillStep, 'paying'> & { promised: Promised }

export const tillPromises = defineDataset({
  name: 'till_promises',
  about: 'Payments in the making, with their answers; nobody’s data but the payer’s',
  fields,
  key: ['spend_id'],
  identity: ['spend_id', 'request_id', 'step', 'by'],
  audience: 'log',
  // till.open carries promises and answers that are open for longer than a minute. This retention is for a cluster
  // that stands still.
  keep: { ms: 12 * 60 * 60_000 },
  inOneOrder: true,
})

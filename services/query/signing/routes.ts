/** Free: finds the signer of a receipt and checks the signature. The address is enough to do the same without us. */
import { z } from 'zod'
import { refundKind } from '../../../pipelines/domains/payments/refund.ts'
import type { Kind } from '../../../pipelines/rails/signing/eip712.ts'
import { readStrictJson } from '../../../schemas/values/strict-json.ts'
import { defineFree, type FreeRoute } from '../../offer/operation.ts'
import type { Origin } from '../../offer/origin.ts'
import { againRoute, type Corrected } from './again.ts'
import { bareAnswer, hashOf } from './answer-hash.ts'
import { isVouchedFor } from './beside.ts'
import { finalities, finalityOf, type SignedSale } from './finality.ts'
import { by, isSignedBy, type Proof, settlementIn, signed, signedIn } from './proof.ts'
import { answerKind, receiptKind, type Signer } from './signer.ts'
import { type Statements, statementRoute } from './statement.ts'

const text = z.string()
const anything = z.record(text, z.unknown())
const matches = z.boolean().nullable()
/** A complete receipt that was never given. */
const sample = {
  success: true,
  transaction: `0x${'ab'.repeat(32)}`,
  network: 'eip155:8453',
  payer: `0x${'cd'.repeat(20)}`,
}

type Signers = Pick<Signer, 'addresses'>

export const receiptRoutes = (signer: Signers): FreeRoute[] => [signerRoute(signer), verifyRoute(signer)]

const signerRoute = ({ addresses }: Signers): FreeRoute =>
  defineFree({
    id: 'receiptSigner',
    path: '/receipts/signer',
    method: 'GET',
    perMinute: 120,
    title: 'Who signs our receipts',
    about:
      'The address that signs offers and receipts, those that have signed before, and the typed data (EIP-712) that they sign.',
    tags: ['receipt', 'x402'],
    request: z.strictObject({}),
    response: z.strictObject({
      signer: text,
      former: z.array(text),
      kinds: z.array(z.strictObject({ domain: text, name: text, fields: z.record(text, text) })),
    }),
    refusals: {},
    example: {
      request: {},
      response: { signer: `0x${'12'.repeat(20)}`, former: [], kinds: [receiptKind, answerKind] as never },
    },
    answer: () => ({
      signer: addresses[0] ?? '',
      former: addresses.slice(1),
      kinds: [receiptKind, answerKind, refundKind].map(({ domain, name, fields }) => ({
        domain,
        name,
        fields: { ...fields },
      })),
    }),
  })

const verifyRoute = ({ addresses }: Signers): FreeRoute =>
  defineFree({
    id: 'receiptVerify',
    path: '/receipts/verify',
    method: 'POST',
    perMinute: 120,
    title: 'Is a receipt ours?',
    about:
      'Checks the signatures of a settlement (what PAYMENT-RESPONSE holds), and whether a question and an answer are those that were paid for.',
    tags: ['receipt', 'x402'],
    request: z.strictObject({
      settlement: z
        .union([text.max(16_384), anything])
        .describe('PAYMENT-RESPONSE, as it came or decoded; or the receipt of a refund'),
      question: anything.optional().describe('What was asked'),
      answer: anything.optional().describe('What was answered, with or without its receipt'),
    }),
    response: z.strictObject({
      valid: z.boolean().describe('We have signed it, and what was sent along fits'),
      signer: text.nullable(),
      receipt: anything.nullable(),
      question_matches: matches.describe('null where no question was sent'),
      answer_matches: matches.describe('null where no answer was sent'),
      finality: z
        .enum(finalities)
        .nullable()
        .describe(
          'What its chain says of the payment today. settled: included and no more yet, or not followed; safe: on EVM behind the safe head, on Solana confirmed; final: nothing takes it back; taken_back: the chain shows it no more, and it may return; lost: it never will. null of a refund, where the receipt is not ours, or where nobody can tell now',
        ),
    }),
    refusals: { no_receipt: { status: 422, about: 'The settlement bears no signed receipt' } },
    example: {
      request: { settlement: sample, question: {}, answer: {} },
      response: {
        valid: false,
        signer: null,
        receipt: null,
        question_matches: null,
        answer_matches: null,
        finality: null,
      },
    },
    answer({ settlement, question, answer }, tools, refuse) {
      const refund = refundIn(settlement)
      if (refund) return verifiedRefund(refund, addresses)
      const told = settlementIn(settlement)
      const { receipt, answer: answered } = signedIn(told)
      if (!receipt || !answered) return refuse('no_receipt', 'The settlement bears no signed receipt')
      const ours =
        isSignedBy({ receipt, answer: answered }, addresses) &&
        isVouchedFor(receipt.payload, told, answer?.receipt)
      const question_matches =
        question === undefined ? null : hashOf(question) === answered.payload.questionSha256
      const answer_matches =
        answer === undefined ? null : hashOf(bareAnswer(answer)) === answered.payload.answerSha256
      return {
        valid: ours && question_matches !== false && answer_matches !== false,
        signer: by(receiptKind, receipt) ?? null,
        receipt: ownFields(receiptKind, receipt.payload),
        question_matches,
        answer_matches,
        finality: (ours && finalityOf(receipt.payload as unknown as SignedSale, tools)) || null,
      }
    },
  })

/** The receipt routes serve all origins, so only the first origin shows them. */
export const withReceipts = <O extends Origin>(
  [first, ...others]: readonly O[],
  signer: (Pick<Signer, 'addresses'> & Partial<Pick<Signer, 'sign'>>) | undefined,
  corrected?: Corrected,
  statements?: Statements,
): O[] =>
  first && signer
    ? [
        {
          ...first,
          free: [
            ...first.free,
            ...receiptRoutes(signer),
            againRoute(signer, [first, ...others], corrected),
            statementRoute('url' in first ? String(first.url) : '', signer, statements),
          ],
        },
        ...others,
      ]
    : [first, ...others].filter(origin => origin !== undefined)

const ownFields = (kind: Kind, payload: Proof['payload']) =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => Object.hasOwn(kind.fields, name)))

/** A refund is signed alone: it has neither question nor answer. */
function verifiedRefund(refund: Proof, addresses: readonly string[]) {
  const signer = by(refundKind, refund)
  return {
    valid: signer !== undefined && addresses.includes(signer),
    signer: signer ?? null,
    receipt: ownFields(refundKind, refund.payload),
    question_matches: null,
    answer_matches: null,
    finality: null,
  }
}

function refundIn(settlement: unknown): Proof | undefined {
  const { data } = signed.safeParse(typeof settlement === 'string' ? jsonIn(settlement) : settlement)
  return data && Object.keys(refundKind.fields).every(name => Object.hasOwn(data.payload, name))
    ? data
    : undefined
}

function jsonIn(text: string): unknown {
  try {
    return readStrictJson(text)
  } catch {
    return undefined
  }
}

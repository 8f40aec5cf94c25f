/**
 * Free: a payer brings his receipt and his question, and is told what has become of the facts that he bought. The signatures bind
 * question and answer, so nothing that he asked is kept here. He hears of what he has paid for, and of nothing else.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import { networkNames, networks, type ReceiptNetwork } from '../../../schemas/tables/networks.ts'
import { instant } from '../../../schemas/values/values.ts'
import { jsonOf, withItsDigits } from '../../offer/answer.ts'
import { defineFree, type FreeRoute, type Operation } from '../../offer/operation.ts'
import type { OpenOrigin, Origin } from '../../offer/origin.ts'
import type { Version, Versions } from '../../offer/versions.ts'
import { questionOf } from '../answers.ts'
import { chosenOf } from '../chosen-fields.ts'
import { bareAnswer, hashOf } from './answer-hash.ts'
import { type Difference, differences } from './differences.ts'
import { finalityOf, type SignedSale } from './finality.ts'
import { isSignedBy, settlementIn, signedIn } from './proof.ts'
import type { Signer } from './signer.ts'

export interface CorrectedSale {
  network: ReceiptNetwork
  payment_tx: string
  payer: string
  operation: string
  issued_at: string
}

/** Takes note, for the rules of the operator. */
export type Corrected = (sale: CorrectedSale) => Promise<void>

const text = z.string()
const anything = z.record(text, z.unknown())
/** Looks with one receipt, and the time after which it has as many again. Each process counts by itself. */
const mostLooks = 10
const looksMs = 3_600_000
const mostReceipts = 100_000
/** To make an answer again takes as long as to sell it. */
const mostVersions = 30
const mostAtOnce = 4

const shape = {
  request: z.strictObject({
    settlement: z
      .union([text.max(16_384), anything])
      .describe('PAYMENT-RESPONSE of the sale, as it came or decoded'),
    question: anything.describe('What was asked, as it was sent'),
    fields: z.array(text.max(100)).max(100).optional().describe('The fields that were chosen, if any'),
  }),
  response: z.strictObject({
    operation: text,
    issued_at: text.describe('When the receipt was signed: no earlier than the sale'),
    corrected: z.boolean().describe('A fact of the answer is another one now'),
    sold: anything.describe('The answer as it was sold: its hash is the one that we signed'),
    now: anything.describe('The facts of that answer, and no others, as they are known now'),
    differs: z
      .array(z.strictObject({ at: text, sold: z.unknown(), now: z.unknown() }))
      .describe('Where, as a path in the answer; 100 at most'),
    why: z.array(z.strictObject({ at: text, what: text })).describe('Corrections that we know of'),
  }),
  refusals: {
    no_receipt: { status: 422, about: 'The settlement bears no signed receipt' },
    not_ours: { status: 422, about: 'Another has signed it, or its parts do not belong together' },
    another_question: { status: 422, about: 'The receipt is for another question' },
    not_versioned: { status: 422, about: 'Nobody tells corrections of such facts apart from news' },
    not_paid: { status: 422, about: 'Its chain has taken the payment back' },
    not_reproducible: { status: 422, about: 'The answer cannot be made again as it was sold' },
    looked_often: { status: 503, about: 'So often was this receipt brought in the last hour' },
    crowded: { status: 503, about: 'Others are being made again' },
  },
  example: {
    request: { settlement: {}, question: {} },
    response: {
      ...{ operation: 'exchangeRate', issued_at: '2026-04-13T16:00:00.000Z', corrected: false },
      ...{ sold: {}, now: {}, differs: [], why: [] },
    },
  },
} as const

export const againRoute = (
  { addresses }: Pick<Signer, 'addresses'>,
  origins: readonly (Origin | OpenOrigin)[],
  corrected: Corrected = async () => {},
): FreeRoute => {
  const looks = new Bounded<{ count: number; since: number }>({ most: mostReceipts })
  let underWay = 0
  return defineFree({
    id: 'receiptAgain',
    path: '/receipts/again',
    method: 'POST',
    perMinute: 20,
    title: 'Is what I bought still true?',
    about:
      'With a receipt and its question: the answer as it was sold, the same facts as they are known now, what differs and why. For exchange rates and SEC financials.',
    tags: ['receipt', 'correction'],
    ...shape,
    async answer({ settlement, question, fields }, tools, refuse) {
      const { receipt, answer } = signedIn(settlementIn(settlement))
      if (!receipt || !answer) return refuse('no_receipt', 'The settlement bears no signed receipt')
      if (!isSignedBy({ receipt, answer }, addresses)) return refuse('not_ours', 'This is no receipt of ours')
      if (hashIfAny(question) !== answer.payload.questionSha256)
        return refuse('another_question', 'The receipt is for another question')
      const sale = receipt.payload as unknown as SignedSale & { resourceUrl: string }
      const offer = soldAt(sale.resourceUrl, origins)
      if (!offer?.versions) return refuse('not_versioned', whyNot(offer?.operation))
      const finality = finalityOf(sale, tools)
      if (finality === 'taken_back' || finality === 'lost')
        return refuse('not_paid', 'Its chain has taken the payment back')
      const name = `${sale.transaction} ${sale.payer} ${answer.payload.questionSha256} ${answer.payload.answerSha256}`
      if (!mayLook(looks, name, tools.now()))
        return refuse('looked_often', `${mostLooks} looks an hour with one receipt are all`)
      if (underWay >= mostAtOnce)
        return refuse('crowded', 'Others are being made again: come back in a second')
      underWay++
      try {
        const issuedMs = Number(sale.issuedAt) * 1000
        const versions = offer.versions(questionOf(offer.operation, question), tools, issuedMs)
        const found = await soldVersion(versions, String(answer.payload.answerSha256), fields)
        if (!found)
          return refuse('not_reproducible', 'By what is known now the answer cannot be made as it was sold')
        const again = await told(found, fields)
        const known = again.corrected && correctedOf(sale, offer.operation)
        if (known) await corrected(known)
        return { operation: offer.operation.id, issued_at: instant(issuedMs), ...again }
      } finally {
        underWay--
      }
    },
  })
}

/** A text with half of a surrogate pair has no hash. */
function hashIfAny(value: unknown): string | undefined {
  try {
    return hashOf(value)
  } catch {
    return undefined
  }
}

function soldAt(resourceUrl: string, origins: readonly (Origin | OpenOrigin)[]) {
  const { pathname } = URL.canParse(resourceUrl) ? new URL(resourceUrl) : { pathname: '' }
  for (const { operations, versions } of origins) {
    const operation = operations.find(({ path }) => path === pathname)
    if (operation) return { operation, versions: versions?.[operation.id] }
  }
  return undefined
}

const whyNot = (operation: Operation | undefined): string =>
  operation?.id === 'airportDelays'
    ? 'The feed of the FAA does not say whether what it no longer lists was over or wrong'
    : 'Nobody tells corrections of such facts apart from news: known are those of exchange rates and SEC financials'

function mayLook(looks: Bounded<{ count: number; since: number }>, name: string, nowMs: number): boolean {
  const known = looks.ask(name)
  const isOver = !known || Math.abs(nowMs - known.since) > looksMs
  const look = isOver ? { count: 1, since: nowMs } : { ...known, count: known.count + 1 }
  if (look.count > mostLooks) return false
  looks.set(name, look)
  return true
}

/** What is told is what was signed, or nothing is. */
async function soldVersion(
  versions: ReturnType<Versions>,
  answerSha256: string,
  fields: readonly string[] | undefined,
): Promise<Version | undefined> {
  let tried = 0
  for await (const version of versions) {
    if (hashIfAny(chosen(version.sold, fields)) === answerSha256) return version
    if (++tried >= mostVersions) return undefined
    // Sales go on in between.
    await nextTurn()
  }
  return undefined
}

const plain = (value: unknown): Record<string, unknown> => JSON.parse(jsonOf(value))
const chosen = (value: unknown, fields: readonly string[] | undefined) =>
  bareAnswer(chosenOf(plain(value), fields))

async function told(version: Version, fields: readonly string[] | undefined) {
  const { now: current, why } = await version.now()
  const exact = (value: unknown) => chosenOf(withItsDigits(jsonOf(value)) as Record<string, unknown>, fields)
  const [sold, now] = [exact(version.sold), exact(current)]
  const differs: Difference[] = differences(sold, now)
  return { corrected: differs.length > 0, sold, now, differs, why: differs.length ? [...why] : [] }
}

function correctedOf(
  { network: id, transaction, payer, issuedAt }: SignedSale,
  { id: operation }: Operation,
): CorrectedSale | undefined {
  const name = networkNames.find(each => networks[each].caip2 === id)
  if (!name) return undefined
  const network = networks[name].receipt
  return { network, payment_tx: transaction, payer, operation, issued_at: instant(Number(issuedAt) * 1000) }
}

/** Free: what a wallet has bought, for whoever signs in with it. Nobody else hears it: a chain shows payments, and not what they bought. */
import { z } from 'zod'
import { startOf } from '../../../pipelines/domains/books/books.ts'
import type { PayerPurchase, PurchasesWanted } from '../../../pipelines/domains/books/purchases.ts'
import { table } from '../../../pipelines/domains/books/statement-forms.ts'
import { atomsOf } from '../../../pipelines/domains/payments/atoms.ts'
import { NotReady } from '../../../pipelines/rails/failures.ts'
import type { Kind } from '../../../pipelines/rails/signing/eip712.ts'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import { isEvm, networkNames, networks } from '../../../schemas/tables/networks.ts'
import { fromAtoms } from '../../../schemas/tables/stablecoins.ts'
import { exact, IsoDate, instant } from '../../../schemas/values/values.ts'
import { number } from '../../offer/answer.ts'
import { defineFree, type FreeRoute } from '../../offer/operation.ts'
import { hashOf } from './answer-hash.ts'
import { finalities, finalityOf } from './finality.ts'
import type { SignedFor, SignIns } from './sign-in.ts'
import type { Signer } from './signer.ts'

/** What the statements of payers need of the process that sells. */
export interface Statements {
  signIns: Pick<SignIns, 'written' | 'refusal'>
  purchases(wanted: PurchasesWanted): Promise<readonly PayerPurchase[]>
}

const text = z.string()
const dayMs = 86_400_000
const mostDays = 366
const mostPurchases = 5000
/** Each reads the sales of a whole span. */
const mostAtOnce = 2
const path = '/receipts/statement'
const statement = 'Tell me what this wallet has bought.'
const chains = networkNames.map(name => networks[name].caip2) as [string, ...string[]]

/** It holds no time, so that the same purchases have the same signature. */
export const payerStatementKind: Kind = {
  domain: 'Farebox statement',
  name: 'Purchases',
  fields: { version: 'uint256', network: 'string', payer: 'string', span: 'string', sha256: 'bytes32' },
}

const purchase = z.strictObject({
  at: text,
  request_id: text,
  origin: text,
  tool: text,
  price_usdc: exact(),
  pay_to: text,
  payment_tx: text.nullable(),
  finality: z.enum(finalities).nullable(),
  refunded_usdc: exact().nullable(),
  refund_tx: text.nullable(),
})
const columns = Object.keys(purchase.shape) as (keyof typeof purchase.shape)[]

const shape = {
  request: z.strictObject({
    chain_id: z.enum(chains).describe('The chain that the wallet has paid on, as in quotes (CAIP-2)'),
    address: text
      .regex(/^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/, 'an address')
      .describe('The wallet'),
    from: IsoDate.describe('The first day, in UTC'),
    to: IsoDate.describe(`The last day; ${mostDays} days at most`),
    format: z.enum(['json', 'csv']).default('json').describe('csv: the purchases come as one text, in `csv`'),
    sign_in_with_x: text
      .max(8192)
      .optional()
      .describe(
        'Base64 of the JSON {...sign_in, signature}, where the wallet has signed the text of `to_sign`. Absent: you get that text',
      ),
  }),
  response: z.strictObject({
    to_sign: z
      .strictObject({ text, sign_in: z.record(text, z.unknown()) })
      .nullable()
      .describe('What the wallet must sign first, within five minutes; null where it has'),
    count: z.int(),
    paid_usdc: exact(),
    refunded_usdc: exact(),
    complete: z.boolean().describe(`false: there are more than ${mostPurchases}, so ask for fewer days`),
    purchases: z.array(purchase).nullable(),
    csv: text.nullable(),
    signed: z
      .strictObject({ format: z.literal('eip712'), payload: z.record(text, z.unknown()), signature: text })
      .nullable()
      .describe('Our signature: sha256 is that of `csv`, or of `purchases` as canonical JSON (RFC 8785)'),
    as_of: text,
  }),
  refusals: {
    invalid_span: { status: 422, about: 'to is before from, or the span is too long' },
    unfit_address: { status: 422, about: 'The address is none of this chain' },
    not_signed: {
      status: 422,
      about: 'The wallet has not signed this, or too long ago, or it was used before',
    },
    crowded: { status: 503, about: 'Others read their statements' },
  },
  example: {
    request: {
      ...{ chain_id: 'eip155:8453', address: `0x${'cd'.repeat(20)}` },
      ...{ from: '2026-11-01', to: '2026-11-30' },
    },
    response: {
      ...{ to_sign: { text: '', sign_in: {} }, count: 0, paid_usdc: number('0'), refunded_usdc: number('0') },
      ...{ complete: true, purchases: null, csv: null, signed: null, as_of: '2026-12-01T00:00:00.000Z' },
    },
  },
} as const

const nothing = { count: 0, paid_usdc: number('0'), refunded_usdc: number('0'), complete: true }

export const statementRoute = (
  url: string,
  signer: Pick<Signer, 'addresses'> & Partial<Pick<Signer, 'sign'>>,
  statements: Statements | undefined,
): FreeRoute => {
  let underWay = 0
  return defineFree({
    id: 'receiptStatement',
    path,
    method: 'POST',
    perMinute: 20,
    title: 'What has my wallet bought?',
    about:
      'The purchases of a wallet with their receipts, prices, finality and refunds, as JSON or CSV, for whoever signs in with it (sign-in-with-x). Ask once for the text to sign, and again with its signature.',
    tags: ['receipt', 'statement', 'accounting'],
    ...shape,
    async answer({ chain_id, address, from, to, format, sign_in_with_x }, tools, refuse) {
      const network = networkNames.find(name => networks[name].caip2 === chain_id)
      if (!network || isEvm(network) !== address.startsWith('0x'))
        return refuse('unfit_address', 'The address is none of this chain')
      const days = (startOf(to) - startOf(from)) / dayMs + 1
      if (days < 1 || days > mostDays)
        return refuse('invalid_span', `A span of 1 to ${mostDays} days is told`)
      if (!statements) throw new NotReady('This process reads no statements')
      const wanted: SignedFor = {
        network,
        address,
        url: `${url}${path}`,
        statement,
        resource: spanOf(from, to),
      }
      const as_of = instant(tools.now())
      if (sign_in_with_x === undefined) {
        const to_sign = statements.signIns.written(wanted)
        return { to_sign, ...nothing, purchases: null, csv: null, signed: null, as_of }
      }
      if (underWay >= mostAtOnce)
        return refuse('crowded', 'Others read their statements: come back in a second')
      underWay++
      try {
        const refusal = await statements.signIns.refusal(sign_in_with_x, wanted)
        if (refusal !== undefined) return refuse('not_signed', refusal)
        const span = { fromMs: startOf(from), untilMs: startOf(to) + dayMs, most: mostPurchases + 1 }
        const found = await statements.purchases({ network, payer: address, ...span })
        const rows = found.slice(0, mostPurchases).map(row => withFinality(row, { chain_id, address }, tools))
        const { text: csv, sha256: hash } = written(rows, format)
        const payload = {
          version: 1,
          network: chain_id,
          payer: address,
          span: spanOf(from, to),
          sha256: hash,
        }
        return {
          ...{ to_sign: null, count: rows.length, ...sumsOf(rows), complete: found.length === rows.length },
          ...{ purchases: csv === null ? rows.map(asExact) : null, csv, as_of },
          signed: signer.sign?.(payerStatementKind, payload) ?? null,
        }
      } finally {
        underWay--
      }
    },
  })
}

const spanOf = (from: string, to: string): string => `urn:farebox:statement:${from}:${to}`

type Told = PayerPurchase & { finality: (typeof finalities)[number] | null }

/** Amounts with their own digits. */
const asExact = ({ price_usdc, refunded_usdc, ...row }: Told) => ({
  ...row,
  price_usdc: number(price_usdc),
  refunded_usdc: refunded_usdc === null ? null : number(refunded_usdc),
})

/** What is signed: the table, or the purchases as whoever parses them has them. */
function written(rows: readonly Told[], format: 'json' | 'csv'): { text: string | null; sha256: string } {
  if (format === 'csv') {
    const csv = table(
      columns,
      rows.map(row => columns.map(name => row[name] ?? '')),
    )
    return { text: csv, sha256: `0x${sha256(csv)}` }
  }
  const parsed = rows.map(({ price_usdc, refunded_usdc, ...row }) => ({
    ...row,
    price_usdc: Number(price_usdc),
    refunded_usdc: refunded_usdc === null ? null : Number(refunded_usdc),
  }))
  return { text: null, sha256: hashOf(parsed) }
}

function sumsOf(purchases: readonly PayerPurchase[]) {
  const sum = (texts: readonly (string | null)[]) =>
    number(
      fromAtoms(
        texts.reduce((all, each) => all + atomsOf(each ?? '0'), 0n),
        networks.base.decimals,
      ),
    )
  return {
    paid_usdc: sum(purchases.map(({ price_usdc }) => price_usdc)),
    refunded_usdc: sum(purchases.map(({ refunded_usdc }) => refunded_usdc)),
  }
}

/** A receipt is signed after its sale, in whole seconds. */
function withFinality(
  row: PayerPurchase,
  { chain_id, address }: { chain_id: string; address: string },
  tools: Parameters<typeof finalityOf>[1],
): Told {
  const { at, payment_tx } = row
  const finality = finalityOf(
    {
      ...{ network: chain_id, payer: address, transaction: payment_tx ?? '' },
      issuedAt: Math.ceil(Date.parse(at) / 1000),
    },
    tools,
  )
  return { ...row, finality: finality ?? null }
}

/** What a payer hears of a sale that he brings again, and what nobody gets that way. */
import { describe, expect, it } from 'vitest'
import { financialsOf } from '../../../../pipelines/domains/company/financials.ts'
import { fxCorrections } from '../../../../schemas/fx-corrections.ts'
import { type FxDay, fxRates } from '../../../../schemas/fx-rates.ts'
import { salesCorrected } from '../../../../schemas/sales-corrected.ts'
import { secFinancialsAsOf } from '../../../../schemas/sec-financials.ts'
import type { FreeRoute } from '../../../../services/offer/operation.ts'
import { secFinancials } from '../../../../services/origins/data/company/sec-financials.ts'
import { fx } from '../../../../services/origins/data/fx/fx.ts'
import { fxBatch } from '../../../../services/origins/data/fx/fx-batch.ts'
import { fxHistory } from '../../../../services/origins/data/fx/fx-history.ts'
import { data } from '../../../../services/origins/data/origin.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import type { CorrectedSale } from '../../../../services/query/signing/again.ts'
import { withReceipts } from '../../../../services/query/signing/routes.ts'
import { Signer } from '../../../../services/query/signing/signer.ts'
import type { Sold } from '../../../../services/till/till.ts'
import { factsIn } from '../../../pipelines/domains/company/companyfacts.ts'
import { type Asking, ask, askText, stock } from '../../origins/ask.ts'
import { asking as askingOf, cik, loadedCompany } from '../../origins/data/company/a-company.ts'

const key = `0x${'7'.repeat(64)}` as const
const soldAt = Date.parse('2026-04-13T16:30:00.000Z')
const sale = { network: 'eip155:8453', payer: `0x${'cd'.repeat(20)}`, transaction: `0x${'ab'.repeat(32)}` }

/** A seller's settlement of this answer, as PAYMENT-RESPONSE. */
async function settlementOf(
  path: string,
  question: unknown,
  body: string,
  { at = soldAt, by = key as string } = {},
) {
  const header = Buffer.from(JSON.stringify({ success: true, ...sale })).toString('base64')
  const sold = { headers: { 'PAYMENT-RESPONSE': header }, body, replayed: false } as unknown as Sold
  const signer = new Signer([by as typeof key], () => at)
  const signed = await signer.receipted(sold, { resourceUrl: `https://shop.example${path}`, question })
  return signed.headers['PAYMENT-RESPONSE'] as string
}

interface Told {
  corrected: boolean
  sold: Record<string, unknown>
  now: Record<string, unknown>
  differs: { at: string; sold: unknown; now: unknown }[]
  why: { at: string; what: string }[]
}

const bring = (route: FreeRoute, body: object, by: Asking) => ask(route, body, by) as Promise<Told>

function open() {
  const corrected: CorrectedSale[] = []
  const signer = new Signer([key], () => soldAt)
  const [origin] = withReceipts([data], signer, async one => void corrected.push(one))
  const route = origin?.free.find(({ path }) => path === '/receipts/again') as FreeRoute
  return { route, corrected }
}

const rates = { USD: '1.1684', JPY: '186.75', GBP: '0.87058' }
const wrong = { ...rates, JPY: '187.75' }
const day = (of: string, held: Record<string, string> = rates): FxDay => ({ day: of, rates: held })
const before = [day('2026-04-09'), day('2026-04-10')]
const correction = { day: '2026-04-13', at: '2026-04-13T18:00:00.000Z', was: wrong, rates }

function asking(at: number, days: readonly FxDay[], corrections: (typeof correction)[] = []): Asking {
  const shelf = new Shelf(() => at)
  stock(shelf, fxRates, days)
  stock(shelf, fxCorrections, corrections)
  return { shelf, now: () => at }
}
const then = asking(soldAt, [...before, day('2026-04-13', wrong)])
const later = soldAt + 3 * 86_400_000
/** The rates of the day were corrected, and other days came. */
const now = asking(later, [...before, day('2026-04-13'), day('2026-04-14'), day('2026-04-15')], [correction])

describe('rates that their bank has corrected', () => {
  it.each([
    [fx, { from: 'EUR', to: 'JPY', amount: 10 }, 'rate', 187.75, 186.75],
    [fx, { from: 'EUR', to: 'JPY', date: '2026-04-13' }, 'rate', 187.75, 186.75],
    [fxHistory, { from: 'EUR', to: 'JPY', start: '2026-04-10' }, 'rates[1].rate', 187.75, 186.75],
    [fxBatch, { items: [{ from: 'EUR', to: 'JPY' }] }, 'results[0].answer.rate', 187.75, 186.75],
  ] as const)('%#: are told as sold and as they are now', async (operation, question, at, was, is) => {
    const { route, corrected } = open()
    const body = await askText(operation as typeof fx, question, then)
    const settlement = await settlementOf(operation.path, question, body)
    const said = await bring(route, { settlement, question }, now)
    expect(said).toMatchObject({ corrected: true, operation: operation.id, sold: JSON.parse(body) })
    expect(said.differs[0]).toEqual({ at, sold: was, now: is })
    expect(said.why).toEqual([{ at: correction.at, what: expect.stringContaining('2026-04-13: JPY') }])
    // Days that came later were not paid for.
    expect(JSON.stringify(said)).not.toContain('2026-04-15')
    expect(corrected).toEqual([
      expect.objectContaining({ network: 'base', payment_tx: sale.transaction, operation: operation.id }),
    ])
  })

  it('differ not where the answer does not hold them, nor once they are as they were', async () => {
    const { route, corrected } = open()
    for (const [question, asked] of [
      [{ from: 'EUR', to: 'USD' }, now],
      [
        { from: 'EUR', to: 'JPY' },
        asking(
          later,
          [...before, day('2026-04-13', wrong)],
          [correction, { ...correction, at: '2026-04-13T19:00:00.000Z', was: rates, rates: wrong }],
        ),
      ],
    ] as const) {
      const settlement = await settlementOf('/fx', question, await askText(fx, question, then))
      const said = await bring(route, { settlement, question }, asked)
      expect(said).toMatchObject({ corrected: false, differs: [], why: [] })
    }
    expect(corrected).toEqual([])
  })

  it('are found by a receipt that a replay has signed days later', async () => {
    const { route } = open()
    const question = { from: 'EUR', to: 'JPY' }
    const body = await askText(fx, question, then)
    const settlement = await settlementOf('/fx', question, body, { at: soldAt + 2 * 86_400_000 })
    expect(await bring(route, { settlement, question }, now)).toMatchObject({ corrected: true })
  })

  it('are told of chosen fields alone', async () => {
    const { route } = open()
    const question = { from: 'EUR', to: 'JPY' }
    const { rate } = JSON.parse(await askText(fx, question, then))
    const settlement = await settlementOf('/fx', question, JSON.stringify({ rate }))
    const said = await bring(route, { settlement, question, fields: ['rate'] }, now)
    expect(said).toMatchObject({ sold: { rate: 187.75 }, now: { rate: 186.75 }, corrected: true })
    expect(said.now).toEqual({ rate: 186.75 })
  })
})

it('figures that a company has restated are told of the periods that were sold, and of no others', async () => {
  const { route, corrected } = open()
  const soldMs = Date.parse('2023-06-30T12:00:00.000Z')
  const facts = factsIn(new URL('../../../recorded/sec-answers/restated-and-split.json', import.meta.url))
  const knownBy = (as_of: string) => ({
    ...financialsOf(
      cik,
      facts.filter(({ filed }) => filed <= as_of),
      as_of,
    ),
    as_of,
  })
  const asked = askingOf(loadedCompany(), {
    asOf: (loaded, known) => void loaded.put(secFinancialsAsOf, [knownBy(known)]),
  })
  const { as_of: _, ...body } = await ask(secFinancials, { cik, as_of: '2023-06-30' }, asked)
  const settlement = await settlementOf('/sec/financials', { cik }, JSON.stringify(body), { at: soldMs })
  const said = await bring(route, { settlement, question: { cik } }, asked)
  expect(said.corrected).toBe(true)
  expect(said.differs).toContainEqual({
    ...{ at: 'metrics.revenue.annual[0].value', sold: 1_000_000_000, now: 990_000_000 },
  })
  expect(said.why[0]?.what).toMatch(/The company has filed other figures: 10-K/)
  expect(JSON.stringify(said.now)).not.toContain('2024-12-31')
  expect(corrected).toHaveLength(1)
})

it('nothing of a question is written down, and of a receipt only where a fact was corrected', async () => {
  const { route, corrected } = open()
  for (const to of ['JPY', 'GBP']) {
    const question = { from: 'EUR', to, amount: 4711 }
    const settlement = await settlementOf('/fx', question, await askText(fx, question, then))
    await bring(route, { settlement, question }, now)
    await bring(route, { settlement, question: { ...question, amount: 1 } }, now).catch(() => undefined)
  }
  // Sterling was not corrected.
  expect(corrected).toHaveLength(1)
  const names = ['network', 'payment_tx', 'payer', 'operation', 'issued_at']
  expect(Object.keys(corrected[0] ?? {}).toSorted()).toEqual(names.toSorted())
  expect(Object.keys(salesCorrected.fields).toSorted()).toEqual([...names, 'at'].toSorted())
  expect(JSON.stringify(corrected)).not.toMatch(/JPY|EUR|4711/)
})

describe('is refused', () => {
  const question = { from: 'EUR', to: 'JPY' }
  const settled = async (more = {}) => settlementOf('/fx', question, await askText(fx, question, then), more)
  const code = async (body: object, { route } = open(), by = now) =>
    ((await ask(route, body, by).catch(error => error)) as { code?: string }).code

  it('what bears no receipt, as that of MPP does not', async () => {
    const mpp = Buffer.from(JSON.stringify({ method: 'evm', reference: sale.transaction })).toString(
      'base64url',
    )
    for (const settlement of ['', 'x', mpp, {}, sale])
      expect(await code({ settlement, question })).toBe('no_receipt')
  })

  it('the receipt of another seller, and one that was put together or altered', async () => {
    expect(await code({ settlement: await settled({ by: `0x${'8'.repeat(64)}` }), question })).toBe(
      'not_ours',
    )
    const decoded = JSON.parse(Buffer.from(await settled(), 'base64').toString())
    const { info } = decoded.extensions['offer-receipt']
    const alter = (change: (info: typeof decoded) => void) => {
      const copy = structuredClone(decoded)
      change(copy.extensions['offer-receipt'].info)
      return copy
    }
    for (const settlement of [
      alter(({ receipt }) => (receipt.payload.issuedAt += 1)),
      alter(({ answer }) => (answer.payload.questionSha256 = `0x${'00'.repeat(32)}`)),
      alter(({ receipt }) => (receipt.payload.extra = 'x')),
      alter(({ receipt }) => (receipt.signature = info.answer.signature)),
    ])
      expect(await code({ settlement, question })).toBe('not_ours')
    const other = await settlementOf('/fx/history', question, '{}')
    const mixed = JSON.parse(Buffer.from(other, 'base64').toString()).extensions['offer-receipt'].info
    expect(await code({ settlement: alter(one => (one.answer = mixed.answer)), question })).toBe('not_ours')
  })

  it('another question, whatever it would be worth', async () => {
    const settlement = await settled()
    for (const other of [{ ...question, to: 'USD' }, { ...question, amount: 1 }, {}, { from: '\ud800' }])
      expect(await code({ settlement, question: other })).toBe('another_question')
  })

  it('facts without versions: not_versioned', async () => {
    const settlement = await settlementOf('/airport/delays', { airport: 'JFK' }, '{}')
    expect(await code({ settlement, question: { airport: 'JFK' } })).toBe('not_versioned')
  })

  it('an answer that cannot be made as it was sold: not_reproducible', async () => {
    const settlement = await settlementOf('/fx', question, '{"rate":1}')
    expect(await code({ settlement, question })).toBe('not_reproducible')
  })

  it('a payment that its chain has taken back: not_paid', async () => {
    const settlement = await settled()
    const { takenBack } = await import('../../../../schemas/finality.ts')
    const asked = asking(later, [...before, day('2026-04-13')], [correction])
    stock(asked.shelf, takenBack, [
      {
        ...{ spend_id: 'ab'.repeat(32), state: 'lost', at: correction.at, settled_at: correction.at },
        ...{ request_id: 'r', network: 'base', amount_usdc: '0.002', payer: sale.payer },
        ...{ payment_tx: sale.transaction, standing_tx: null },
      },
    ])
    expect(await code({ settlement, question }, open(), asked)).toBe('not_paid')
  })

  it('one receipt too often: looked_often, until an hour has passed', async () => {
    const opened = open()
    const settlement = await settled()
    for (let i = 0; i < 10; i++) expect(await code({ settlement, question }, opened)).toBeUndefined()
    expect(await code({ settlement, question }, opened)).toBe('looked_often')
    const hour = { ...now, now: () => later + 3_600_001 }
    expect(await code({ settlement, question }, opened, hour)).toBeUndefined()
  })

  it('a fifth at once: crowded, and the others are answered', async () => {
    const opened = open()
    const settlement = await settled()
    const codes = await Promise.all(Array.from({ length: 5 }, () => code({ settlement, question }, opened)))
    expect(codes.filter((said: string | undefined) => said === 'crowded')).toHaveLength(1)
    expect(await code({ settlement, question }, opened)).toBeUndefined()
  })
})

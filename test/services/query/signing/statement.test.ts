/** What a wallet hears of its purchases, and what nobody else does. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { PayerPurchase, PurchasesWanted } from '../../../../pipelines/domains/books/purchases.ts'
import { signerOf } from '../../../../pipelines/rails/signing/eip712.ts'
import type { FreeRoute } from '../../../../services/offer/operation.ts'
import { data } from '../../../../services/origins/data/origin.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { hashOf } from '../../../../services/query/signing/answer-hash.ts'
import { withReceipts } from '../../../../services/query/signing/routes.ts'
import { SignIns } from '../../../../services/query/signing/sign-in.ts'
import { Signer } from '../../../../services/query/signing/signer.ts'
import { payerStatementKind } from '../../../../services/query/signing/statement.ts'
import { ask } from '../../origins/ask.ts'
import { otherPayer, payer } from '../../till/paying.ts'

const start = Date.parse('2026-11-28T10:00:00.000Z')
const url = 'https://farebox.example'
const question = {
  chain_id: 'eip155:8453',
  address: payer.address as string,
  from: '2026-11-01',
  to: '2026-11-30',
}
const purchase: PayerPurchase = {
  ...{ at: '2026-11-20T10:00:00.000Z', request_id: 'r-1', origin: 'data', tool: 'exchangeRate' },
  ...{ price_usdc: '0.002', pay_to: '0xee', payment_tx: '0x1', refunded_usdc: null, refund_tx: null },
}

interface ToSign {
  text: string
  sign_in: Record<string, unknown>
}

function open(bought: readonly PayerPurchase[] = [purchase]) {
  let nowMs = start
  const asked: PurchasesWanted[] = []
  const failed: unknown[] = []
  const now = () => nowMs
  const signer = new Signer([`0x${'7'.repeat(64)}`], now)
  const origin = { ...data, url }
  const signIns = new SignIns({ now, nodesOf: () => [], onError: error => failed.push(error) })
  const purchases = async (wanted: PurchasesWanted) => {
    asked.push(wanted)
    return bought.slice(0, wanted.most)
  }
  const [first] = withReceipts([origin], signer, undefined, { signIns, purchases })
  const route = first?.free.find(({ path }) => path === '/receipts/statement') as FreeRoute
  const shelf = new Shelf(now)
  const told = (more: object = {}) =>
    ask(route, { ...question, ...more }, { shelf, now }) as Promise<Record<string, never>>
  const toSign = async (more: object = {}) => (await told(more)).to_sign as unknown as ToSign
  async function proof(by = payer, more: object = {}): Promise<string> {
    const { text, sign_in } = await toSign(more)
    const signature = await by.signMessage({ message: text })
    return Buffer.from(JSON.stringify({ ...sign_in, signature })).toString('base64')
  }
  return {
    ...{ told, toSign, proof, asked, signer },
    later: (ms: number) => {
      nowMs += ms
    },
  }
}

it('tells what to sign first, and to the wallet that has signed what it bought, signed by us', async () => {
  const { told, toSign, proof, asked, signer } = open([
    purchase,
    { ...purchase, request_id: 'r-2', price_usdc: '0.05', refunded_usdc: '0.05', refund_tx: '0xback' },
  ])
  const { text } = await toSign()
  expect(text).toContain(
    `farebox.example wants you to sign in with your Ethereum account:\n${payer.address}\n`,
  )
  expect(text).toContain('- urn:farebox:statement:2026-11-01:2026-11-30')
  expect(asked).toEqual([])
  const answer = await told({ sign_in_with_x: await proof() })
  expect(answer).toMatchObject({
    ...{ to_sign: null, count: 2, paid_usdc: 0.052, refunded_usdc: 0.05, complete: true, csv: null },
    purchases: [
      { request_id: 'r-1', tool: 'exchangeRate', price_usdc: 0.002, payment_tx: '0x1', refund_tx: null },
      { request_id: 'r-2', price_usdc: 0.05, refunded_usdc: 0.05, refund_tx: '0xback' },
    ],
  })
  expect(asked).toEqual([
    {
      ...{ network: 'base', payer: payer.address, most: 5001 },
      ...{ fromMs: Date.parse('2026-11-01'), untilMs: Date.parse('2026-12-01') },
    },
  ])
  const { payload, signature } = answer.signed as unknown as {
    payload: Record<string, string>
    signature: string
  }
  expect(payload.sha256).toBe(hashOf(answer.purchases))
  expect(signerOf(payerStatementKind, payload as never, signature)).toBe(signer.addresses[0])
})

it('gives CSV, and says where there is more than it tells', async () => {
  const { told, proof } = open(
    Array.from({ length: 6000 }, (_, n) => ({ ...purchase, request_id: `r-${n}`, tool: '=danger' })),
  )
  const answer = await told({ format: 'csv', sign_in_with_x: await proof() })
  const csv = String(answer.csv)
  const [head, first] = csv.split('\r\n')
  expect(head).toBe('at,request_id,origin,tool,price_usdc,pay_to,payment_tx,finality,refunded_usdc,refund_tx')
  expect(first).toBe("2026-11-20T10:00:00.000Z,r-0,data,'=danger,0.002,0xee,0x1,settled,,")
  expect(answer).toMatchObject({ count: 5000, complete: false, purchases: null })
  const { payload } = answer.signed as unknown as { payload: { sha256: string } }
  expect(payload.sha256).toBe(`0x${createHash('sha256').update(csv).digest('hex')}`)
})

it.each<[string, (shop: ReturnType<typeof open>) => Promise<object>]>([
  ['another wallet', async ({ proof }) => ({ sign_in_with_x: await proof(otherPayer) })],
  ['what is no proof', async () => ({ sign_in_with_x: 'bm90IEpTT04=' })],
  ['another span', async ({ proof }) => ({ sign_in_with_x: await proof(payer, { to: '2026-11-29' }) })],
  ['another chain', async ({ proof }) => ({ sign_in_with_x: await proof(), chain_id: 'eip155:137' })],
  [
    'another wallet’s address under its own signature',
    async ({ proof }) => ({ sign_in_with_x: await proof(), address: otherPayer.address }),
  ],
  [
    'a text of long ago',
    async ({ proof, later }) => {
      const signed = await proof()
      later(301_000)
      return { sign_in_with_x: signed }
    },
  ],
  [
    'a text that was used',
    async ({ proof, told }) => {
      const signed = await proof()
      await told({ sign_in_with_x: signed })
      return { sign_in_with_x: signed }
    },
  ],
])('tells nothing for %s', async (_, wish) => {
  const shop = open()
  const more = await wish(shop)
  const before = shop.asked.length
  await expect(shop.told(more)).rejects.toMatchObject({ code: 'not_signed' })
  expect(shop.asked).toHaveLength(before)
})

it.each([
  [{ to: '2026-10-31' }, 'invalid_span'],
  [{ from: '2025-01-01' }, 'invalid_span'],
  [{ address: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4' }, 'unfit_address'],
])('%j is refused as %s', async (more, code) => {
  await expect(open().told(more)).rejects.toMatchObject({ code })
})

it('reads two statements at once, and tells others that it is crowded', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = Object.assign([purchase], {
    slice: () => promise.then(() => [purchase]) as unknown as PayerPurchase[],
  })
  const { told, proof } = open(slow)
  const proofs = [await proof(), await proof(), await proof()]
  const two = proofs.slice(0, 2).map(sign_in_with_x => told({ sign_in_with_x }))
  await expect(told({ sign_in_with_x: proofs[2] })).rejects.toMatchObject({ code: 'crowded' })
  resolve()
  await Promise.all(two)
})

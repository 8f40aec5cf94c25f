import { recoverTypedDataAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import type { Kind, TypedMessage } from '../../../../pipelines/rails/signing/eip712.ts'
import { receiptRoutes } from '../../../../services/query/signing/routes.ts'
import { answerKind, offerKind, receiptKind, Signer } from '../../../../services/query/signing/signer.ts'
import { originOf } from '../../an-origin.ts'
import { echo, signed } from '../../till/paying.ts'
import { openSelling } from '../selling.ts'

const key = `0x${'7'.repeat(64)}` as const
const formerKey = `0x${'8'.repeat(64)}` as const
const { address } = privateKeyToAccount(key)

interface Proof {
  payload: TypedMessage
  signature: `0x${string}`
}

/** Recovers the signer with another implementation of EIP-712. */
const recovered = ({ domain, name, fields }: Kind, { payload, signature }: Proof) =>
  recoverTypedDataAddress({
    domain: { name: domain, version: '1', chainId: 1 },
    types: { [name]: Object.entries(fields).map(([name, type]) => ({ name, type })) },
    primaryType: name,
    message: payload as never,
    signature,
  })

async function open() {
  const signer = new Signer([key, formerKey], Date.now)
  const shop = await openSelling({ origins: [originOf([echo], { free: receiptRoutes(signer) })], signer })
  const verify = async (body: object) => {
    const answer = await shop.ask({ path: '/receipts/verify', body: JSON.stringify(body) })
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
  }
  return { ...shop, verify }
}
const inHeader = (answer: Response, name: string) =>
  JSON.parse(Buffer.from(answer.headers.get(name) ?? '', 'base64').toString())

describe('a quote', () => {
  it('has each of its offers signed, within the header, and the same in its body', async () => {
    const { ask } = await open()
    const answer = await ask({ body: '{}' })
    const quote = inHeader(answer, 'payment-required')
    const { offers } = quote.extensions['offer-receipt'].info
    expect(offers).toHaveLength(quote.accepts.length)
    for (const [i, offer] of offers.entries()) {
      const { network, amount, payTo } = quote.accepts[i]
      expect(offer).toMatchObject({ acceptIndex: i, payload: { network, amount, payTo } })
      expect(offer.payload.resourceUrl).toBe(quote.resource.url)
      expect(await recovered(offerKind, offer)).toBe(address)
    }
    expect(answer.headers.get('payment-required')?.length).toBeLessThanOrEqual(6 * 1024)
    const body = (await answer.json()) as { extensions: object }
    expect(body.extensions).toEqual(quote.extensions)
  })
})

describe('a receipt', () => {
  async function bought() {
    const shop = await open()
    const answer = await shop.pay(await signed(), { body: '{"say":"there"}' })
    return {
      ...shop,
      settlement: inHeader(answer, 'payment-response'),
      answer: (await answer.json()) as object,
    }
  }

  it('proves the payment and the answer without us', async () => {
    const { settlement } = await bought()
    const { receipt, answer } = settlement.extensions['offer-receipt'].info
    expect(await recovered(receiptKind, receipt)).toBe(address)
    expect(await recovered(answerKind, answer)).toBe(address)
    expect(receipt.payload).toMatchObject({
      resourceUrl: 'https://farebox.example/echo',
      transaction: settlement.transaction,
      payer: settlement.payer,
    })
  })

  it('is recognised, decoded or as it came', async () => {
    const { settlement, answer, verify } = await bought()
    const question = { say: 'there' }
    const valid = { valid: true, signer: address.toLowerCase(), question_matches: true, answer_matches: true }
    expect((await verify({ settlement, question, answer })).json).toMatchObject(valid)
    const asItCame = Buffer.from(JSON.stringify(settlement)).toString('base64')
    expect((await verify({ settlement: asItCame, question, answer })).json).toMatchObject(valid)
  })

  it('is no proof of another answer, another question, another payment or another signer', async () => {
    const { settlement, answer, verify } = await bought()
    expect((await verify({ settlement, answer: { ...answer, said: 'no' } })).json).toMatchObject({
      valid: false,
      answer_matches: false,
    })
    expect((await verify({ settlement, question: {} })).json).toMatchObject({
      valid: false,
      question_matches: false,
    })
    const changed = structuredClone(settlement)
    changed.extensions['offer-receipt'].info.receipt.payload.payer = `0x${'9'.repeat(40)}`
    expect((await verify({ settlement: changed })).json.valid).toBe(false)
    const richer = structuredClone(settlement)
    Object.assign(richer.extensions['offer-receipt'].info.receipt.payload, { note: 'We owe you 5,000 USDC' })
    const said = (await verify({ settlement: richer })).json
    expect(said).toMatchObject({ valid: false, signer: null })
    expect(said.receipt).not.toHaveProperty('note')
    const garbled = structuredClone(settlement)
    garbled.extensions['offer-receipt'].info.receipt.signature = `0x${'f'.repeat(130)}`
    expect((await verify({ settlement: garbled })).json).toMatchObject({ valid: false, signer: null })
  })

  it.each([
    ['of another payer', { payer: `0x${'9'.repeat(40)}` }, {}],
    ['of another product', {}, { resourceUrl: 'https://farebox.example/dear' }],
  ])('is no proof of the answer %s in the same transaction', async (_, settled, about) => {
    const { settlement, answer, verify } = await bought()
    const { network, payer, transaction } = settlement
    const header = Buffer.from(
      JSON.stringify({ success: true, network, payer, transaction, ...settled }),
    ).toString('base64')
    const body = '{"said":"a dear one"}'
    const sold = { body, answerName: 'dear', replayed: false, settledAt: 0, delivered: () => {} }
    const other = await new Signer([key], Date.now).receipted(
      { ...sold, headers: { 'PAYMENT-RESPONSE': header } },
      { resourceUrl: 'https://farebox.example/echo', question: {}, ...about },
    )
    const written = other.headers['PAYMENT-RESPONSE'] as string
    const theirs = JSON.parse(Buffer.from(written, 'base64').toString())
    const mixed = structuredClone(settlement)
    mixed.extensions['offer-receipt'].info.answer = theirs.extensions['offer-receipt'].info.answer
    expect((await verify({ settlement, answer })).json.valid).toBe(true)
    expect((await verify({ settlement: mixed })).json.valid).toBe(false)
  })

  it.each([
    ['half of a surrogate pair', '"\\ud800"'],
    ['an infinite number', '1e400'],
    ['a deep nest', '['.repeat(5000) + ']'.repeat(5000)],
  ])('that comes with %s is refused, by no fault of ours', async (_what, value) => {
    const { settlement, ask, logged } = await bought()
    const body = JSON.stringify({ settlement, answer: { said: 0 } }).replace(
      '"said":0',
      () => `"said":${value}`,
    )
    expect((await ask({ path: '/receipts/verify', body })).status).toBe(400)
    const within = Buffer.from(`{"extensions":${value}}`).toString('base64')
    const unread = await ask({ path: '/receipts/verify', body: JSON.stringify({ settlement: within }) })
    expect([unread.status, await unread.json()]).toMatchObject([422, { error: 'no_receipt' }])
    expect(logged.join()).not.toContain('our fault')
  })

  it('of a replay is signed once, and anew for another question, answer or payment', async () => {
    let now = Date.parse('2026-11-23T10:00:00Z')
    const signer = new Signer([key], () => now)
    const said = async (payment: string, body: string, question: object, replayed = true) => {
      const settled = {
        success: true,
        transaction: payment,
        network: 'eip155:8453',
        payer: `0x${'1'.repeat(40)}`,
      }
      const headers = { 'PAYMENT-RESPONSE': Buffer.from(JSON.stringify(settled)).toString('base64') }
      now += 1000
      const signed = await signer.receipted(
        { body, answerName: body, headers, replayed, settledAt: now, delivered: () => {} },
        { resourceUrl: 'https://farebox.example/echo', question },
      )
      return signed.headers['PAYMENT-RESPONSE']
    }
    const [paid, body] = [`0x${'a'.repeat(64)}`, '{"said":"there"}']
    const first = await said(paid, body, {})
    expect(await said(paid, body, {})).toBe(first)
    const others = await Promise.all([
      said(paid, body, { say: 'here' }),
      said(paid, '{"said":"here"}', {}),
      said(`0x${'b'.repeat(64)}`, body, {}),
      said(paid, body, {}, false),
    ])
    expect(new Set([first, ...others]).size).toBe(5)
  })

  it('of a replay is not read again, however long it is', async () => {
    const signer = new Signer([key], Date.now)
    const header = Buffer.from(JSON.stringify({ network: 'eip155:8453', payer: '0x1', transaction: '0x2' }))
    let reads = 0
    const sold = {
      get body() {
        reads++
        return '{"said":"there"}'
      },
      ...{ answerName: 'one', replayed: true, settledAt: 0, delivered: () => {} },
      headers: { 'PAYMENT-RESPONSE': header.toString('base64') },
    }
    const about = { resourceUrl: 'https://farebox.example/echo', question: {} }
    await signer.receipted(sold, about)
    const once = reads
    for (let nth = 0; nth < 3; nth++) await signer.receipted(sold, about)
    // The answer is copied as it is into what is sent.
    expect(reads - once).toBe(3)
    expect(once).toBe(2)
  })

  it('that was signed with a former key is still ours', async () => {
    const { settlement, verify, ask } = await bought()
    const before = new Signer([formerKey], Date.now)
    const sold = await before.receipted(
      {
        body: '{"said":"there"}',
        headers: { 'PAYMENT-RESPONSE': Buffer.from(JSON.stringify(settlement)).toString('base64') },
        answerName: 'there',
        replayed: false,
        settledAt: Date.now(),
        delivered: () => {},
      },
      { resourceUrl: 'https://farebox.example/echo', question: {} },
    )
    expect((await verify({ settlement: sold.headers['PAYMENT-RESPONSE'] })).json.valid).toBe(true)
    const told = (await (await ask({ path: '/receipts/signer', method: 'GET' })).json()) as object
    expect(told).toMatchObject({ signer: address.toLowerCase(), former: before.addresses })
  })

  it('is refused as no_receipt without one', async () => {
    const { verify } = await open()
    for (const settlement of [{ success: true }, 'bm90aGluZw==', 'garbage'])
      expect(await verify({ settlement })).toMatchObject({ status: 422, json: { error: 'no_receipt' } })
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { decode } from '../../../services/till/header.ts'
import { checkPayment } from '../../../services/till/payment.ts'
import { Quotes } from '../../../services/till/quotes.ts'
import { evmScheme } from '../../../services/till/schemes/evm.ts'
import type { Payment } from '../../../services/till/till.ts'
import { twinOf } from '../../pipelines/rails/signing/twin.ts'
import { originOf } from '../an-origin.ts'
import { echo, header, offer, payer, payTo, type Signed, shout, signed } from './paying.ts'

const now = () => Date.parse('2026-11-21T12:00:00Z')
const second = now() / 1000
const quotes = new Quotes({
  origins: [originOf([echo, shout])],
  payTo: [
    { name: 'base', address: payTo },
    { name: 'polygon', address: payTo },
  ],
  now,
})
let contracts: (address: string) => Promise<boolean> = async () => false
const finder = {
  isContract: (address: string) => contracts(address),
  find: () => Promise.reject(new Error('no node')),
  heldBy: () => Promise.reject(new Error('no node')),
}
const schemes = new Map(
  (['base', 'polygon'] as const).map(network => [
    networks[network].caip2,
    evmScheme({ network, finder, now }),
  ]),
)
const check = (payment: unknown, operation = echo): Promise<Payment> =>
  checkPayment(decode(header(payment)), operation, { quotes, schemes })
let good: Signed
beforeAll(async () => {
  good = await signed({}, now())
})
const authorization = (change: Record<string, unknown>) => ({
  ...good,
  payload: { ...good.payload, authorization: { ...good.payload.authorization, ...change } },
})

describe('decoding', () => {
  it.each([
    ['no base64', '{"x402Version":2}', 'invalid_payment_header'],
    ['base64url', Buffer.from('{"a":"??>>"}').toString('base64url'), 'invalid_payment_header'],
    ['no JSON', Buffer.from('hello').toString('base64'), 'invalid_payment_header'],
    ['null', header(null), 'invalid_payment_header'],
    ['a list', header([]), 'invalid_payment_header'],
    ['a number', header(1), 'invalid_payment_header'],
    ['nothing', '', 'invalid_payment_header'],
    ['more than 8 KB', 'A'.repeat(8193), 'headers_too_large'],
  ])('refuses %s', (_, text, code) => {
    expect(() => decode(text)).toThrow(expect.objectContaining({ code }))
  })
})

describe('a payment that fits', () => {
  it('is known by what it spends, not by how it is written', async () => {
    const one = await check(good)
    const upper = await check(authorization({ from: payer.address.toLowerCase() }))
    expect(one).toMatchObject({ network: 'base', payer: payer.address.toLowerCase(), proven: true })
    expect(upper.spendId).toBe(one.spendId)
    expect((await check(await signed({}, now()))).spendId).not.toBe(one.spendId)
  })

  it('spends on its own network: the same nonce on two networks is two spends', async () => {
    const nonce = `0x${'5'.repeat(64)}`
    const [onBase, onPolygon] = [await signed({ nonce }, now()), await signed({ nonce }, now(), 'polygon')]
    const [one, two] = [await check(onBase), await check(onPolygon)]
    expect([one.network, two.network]).toEqual(['base', 'polygon'])
    expect(two.offer.network).toBe(networks.polygon.caip2)
    expect([one.proven, two.proven]).toEqual([true, true])
    expect(two.spendId).not.toBe(one.spendId)
    await expect(check({ ...onBase, accepted: onPolygon.accepted })).rejects.toThrow(/signature/)
  })

  it('goes to the facilitator with our own requirements, and with nothing that does not pay', async () => {
    const { request } = await check({
      ...good,
      accepted: { ...offer, extra: { ...offer.extra, sneaked: 'in' } },
      payload: { ...good.payload, permit2Authorization: { from: payer.address } },
      resource: { url: 'https://elsewhere.example/echo', description: 'mine' },
      extensions: { bazaar: { info: 'poison' }, other: 1 },
    })
    const { paymentPayload, paymentRequirements } = JSON.parse(request())
    expect(paymentRequirements).toEqual(offer)
    expect(paymentPayload.accepted).toEqual(offer)
    const { signature, authorization } = good.payload
    const [from, to] = [payer.address.toLowerCase(), payTo.toLowerCase()]
    expect(paymentPayload.payload).toEqual({ signature, authorization: { ...authorization, from, to } })
    expect(paymentPayload.resource.url).toBe('https://farebox.example/echo')
    expect(Object.keys(paymentPayload.extensions)).toEqual(['bazaar'])
    expect(paymentPayload.extensions.bazaar.info.input.method).toBe('POST')
  })

  it('may use yParity in place of v', async () => {
    const parity = Number.parseInt(good.payload.signature.slice(-2), 16) - 27
    const signature = `${good.payload.signature.slice(0, -2)}0${parity}`
    expect(await check({ ...good, payload: { ...good.payload, signature } })).toMatchObject({ proven: true })
  })
})

describe('what does not fit the quote is refused here', () => {
  it.each<[string, () => unknown]>([
    ['version 1', () => ({ ...good, x402Version: 1 })],
    ['version "2"', () => ({ ...good, x402Version: '2' })],
    ['version 99', () => ({ ...good, x402Version: 99 })],
    ['no accepted', () => ({ ...good, accepted: undefined })],
    ['no payload', () => ({ ...good, payload: undefined })],
    ['an empty payload', () => ({ ...good, payload: {} })],
    ['another network', () => ({ ...good, accepted: { ...offer, network: 'eip155:84532' } })],
    ['another asset', () => ({ ...good, accepted: { ...offer, asset: payTo } })],
    ['another amount', () => ({ ...good, accepted: { ...offer, amount: '1' } })],
    ['another payTo', () => ({ ...good, accepted: { ...offer, payTo: payer.address } })],
    ['another domain', () => ({ ...good, accepted: { ...offer, extra: { name: 'USDC', version: '2' } } })],
    [
      'Solana before its fee payer is known',
      () => ({ ...good, accepted: { ...offer, network: networks.solana.caip2 } }),
    ],
    [
      'Permit2',
      () => ({ ...good, payload: { signature: good.payload.signature, permit2Authorization: {} } }),
    ],
    ['control characters in from', () => authorization({ from: '0x\u0000\u0001' })],
    ['a nonce of 2 bytes', () => authorization({ nonce: '0xabcd' })],
    ['a number where text belongs', () => authorization({ value: 2000 })],
    ['a negative time', () => authorization({ validBefore: '-1' })],
    ['another receiver', () => signed({ to: payer.address }, now())],
    ['another value', () => signed({ value: '1999' }, now())],
    ['more than is asked', () => signed({ value: '2001' }, now())],
    ['a life of more than 65 minutes', () => signed({ validBefore: String(second + 3901) }, now())],
    ['a changed nonce', () => authorization({ nonce: `0x${'7'.repeat(64)}` })],
    [
      'a signature of zeros',
      () => ({ ...good, payload: { ...good.payload, signature: `0x${'00'.repeat(65)}` } }),
    ],
    ['a signature that is no hex', () => ({ ...good, payload: { ...good.payload, signature: '0xzz' } })],
    [
      'what was paid for another path',
      () => ({ ...good, resource: { url: 'https://farebox.example/shout' } }),
    ],
    [
      'a short payment identifier',
      () => ({ ...good, extensions: { 'payment-identifier': { info: { id: 'short' } } } }),
    ],
  ])('%s', async (_, payment) => {
    await expect(check(await payment())).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_payment', status: 402 }),
    )
  })

  it('the twin of a signature in the upper half, also where the payer may be a contract', async () => {
    const twin = { ...good, payload: { ...good.payload, signature: twinOf(good.payload.signature) } }
    const silent = async () => Promise.reject(new Error('no node answers'))
    for (const answer of [async () => false, async () => true, silent]) {
      contracts = answer
      await expect(check(twin)).rejects.toThrow(/upper half/)
    }
  })

  it('and the refusal of a life that is too long names the longest', async () => {
    const late = await signed({ validBefore: String(second + 3901) }, now())
    await expect(check(late)).rejects.toThrow('validBefore is too late: 3900 seconds from now at most')
    const forAnHour = await check(await signed({ validBefore: String(second + 3600) }, now()))
    expect(forAnHour).toMatchObject({ proven: true, settlesSurely: false })
    expect(await check(good)).toMatchObject({ proven: true, settlesSurely: true })
  })

  it('an authorization that is not valid yet', async () => {
    const early = await signed({ validAfter: String(second + 5) }, now())
    await expect(check(early)).rejects.toThrow(expect.objectContaining({ code: 'payment_expired' }))
  })
})

describe('a signature that recovers to somebody else', () => {
  const foreign = () => authorization({ nonce: `0x${'7'.repeat(64)}` })

  it('is for the facilitator to judge if the payer is a contract, or if no node can say', async () => {
    const silent = async () => Promise.reject(new Error('no node answers'))
    for (const answer of [async () => true, silent]) {
      contracts = answer
      expect(await check(foreign())).toMatchObject({ proven: false })
    }
    contracts = async () => false
    await expect(check(foreign())).rejects.toThrow(/signature/)
  })

  it('asks nodes sixty times a minute at most, whoever is named as its payer', async () => {
    let asked = 0
    const counting = {
      ...finder,
      isContract: async () => {
        asked += 1
        return false
      },
    }
    const own = new Map([[networks.base.caip2, evmScheme({ network: 'base', finder: counting, now })]])
    const junk = (n: number) =>
      decode(header(authorization({ from: `0x${n.toString(16).padStart(40, '1')}` })))
    const refused = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        checkPayment(junk(n), echo, { quotes, schemes: own }).catch(String),
      ),
    )
    expect(refused).toEqual(refused.map(() => expect.stringContaining('the signature is not that')))
    for (let n = 8; n < 100; n++) await checkPayment(junk(n), echo, { quotes, schemes: own }).catch(String)
    expect(asked).toBe(60)
    // The facilitator judges what is beyond it, and it counts for its caller.
    expect(await checkPayment(junk(100), echo, { quotes, schemes: own })).toMatchObject({ proven: false })
  })

  it('is for the facilitator to judge if it has another length', async () => {
    const signature = `0x${'ab'.repeat(97)}`
    expect(await check({ ...good, payload: { ...good.payload, signature } })).toMatchObject({ proven: false })
  })
})

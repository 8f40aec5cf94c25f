/** The payments that the client signs, and those that it never signs, whatever a seller asks for. */
import { describe, expect, it } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { createFarebox } from '../../../services/client/farebox.ts'
import { purseInMemory } from '../../../services/client/purse.ts'
import type { Offer } from '../../../services/client/quote.ts'
import { deviation } from '../../../services/client/solana-form.ts'
import { signerOf } from '../../../services/till/schemes/evm-signature.ts'
import { solanaTransaction } from '../../attacks/solana-payment.ts'
import { evmKey, solanaKey } from '../sandbox/running.ts'
import { offer, payer, payToSolana } from '../till/paying.ts'
import { feePayerKey } from '../till/stub-facilitator.ts'
import { answer, ask402, offering, quoteOf, selling, startHostileSeller } from './hostile-seller.ts'

const { base, solana } = networks
const clientOf = (url: string, more: object = {}) =>
  createFarebox({ url, wallet: { evmKey, solanaKey }, purse: purseInMemory(), patienceMs: 0, ...more })

const onSolana = (change: object = {}) => ({
  ...offer,
  network: solana.caip2,
  asset: solana.asset,
  payTo: payToSolana,
  extra: { feePayer: feePayerKey },
  ...change,
})

describe('an offer that is not signed', () => {
  it.each<[string, unknown, RegExp]>([
    [
      'a token of 2 decimals that is no USDC',
      offering({ asset: `0x${'1'.repeat(40)}` }),
      /is not USDC of base/,
    ],
    ['the USDC of another network', offering({ asset: networks.polygon.asset }), /is not USDC of base/],
    ['a network that nobody knows', offering({ network: 'eip155:1' }), /eip155:1.* not a network it knows/],
    ['the name of a prototype as network', offering({ network: '__proto__' }), /not a network it knows/],
    ['another name in the EIP-712 domain', offering({ extra: { name: 'Gold', version: '2' } }), /domain/],
    ['another version of the domain', offering({ extra: { ...base.domain, version: '1' } }), /domain/],
    [
      'another way to transfer',
      offering({ extra: { ...base.domain, assetTransferMethod: 'permit2' } }),
      /permit2/,
    ],
    ['the scheme upto', offering({ scheme: 'upto' }), /scheme/],
    ['a signature that is good for a year', offering({ maxTimeoutSeconds: 31_536_000 }), /maxTimeoutSeconds/],
    ['a validity that is no number', offering({ maxTimeoutSeconds: '60' }), /maxTimeoutSeconds/],
    ['an amount below nothing', offering({ amount: '-1' }), /amount/],
    ['an amount in hex', offering({ amount: '0xff' }), /amount/],
    ['an amount of nothing', offering({ amount: '0' }), /amount/],
    ['an amount that is no text', offering({ amount: 2000 }), /amount/],
    ['a payee that is no address', offering({ payTo: 'me' }), /payTo/],
    ['version 1', { ...offering(), x402Version: 1 }, /no quote of version 2/],
    ['no offers at all', quoteOf(), /no offer/],
    ['offers that are no list', { ...offering(), accepts: { 0: offer } }, /no quote/],
    ['offers of nothing', quoteOf(null, 7, 'x'), /not an offer/],
    ['a token on Solana that is no USDC', quoteOf(onSolana({ asset: payToSolana })), /is not USDC of solana/],
    ['no fee payer on Solana', quoteOf(onSolana({ extra: {} })), /feePayer/],
    [
      'a memo of a kilobyte',
      quoteOf(onSolana({ extra: { feePayer: feePayerKey, memo: 'x'.repeat(1024) } })),
      /memo/,
    ],
  ])('%s', async (_, quote, why) => {
    const seller = await startHostileSeller(selling(quote))
    const result = await clientOf(seller.url).call('/fx', {})
    expect(result).toMatchObject({ ok: false, error: { code: 'cannot_pay', charged: false } })
    expect(result.ok || result.error.message).toMatch(why)
    expect(seller.signatures()).toEqual([])
  })

  it('a quote that is no quote', async () => {
    const seller = await startHostileSeller(response =>
      response.writeHead(402, { 'payment-required': '%%%' }).end(),
    )
    expect(await clientOf(seller.url).call('/fx')).toMatchObject({ ok: false, error: { code: 'cannot_pay' } })
  })

  it('shows a stranger’s words without the characters that steer a terminal', async () => {
    const seller = await startHostileSeller(selling(offering({ network: `\u001b[2J${'x'.repeat(4000)}` })))
    const result = await clientOf(seller.url).call('/fx')
    const message = result.ok ? '' : result.error.message
    expect(message).not.toContain('\u001b')
    expect(message.length).toBeLessThan(400)
  })

  it('gives way to the next one, which is signed', async () => {
    const seller = await startHostileSeller(
      selling(quoteOf({ ...offer, asset: `0x${'1'.repeat(40)}`, amount: '1' }, offer)),
    )
    expect(await clientOf(seller.url).call('/fx')).toMatchObject({ ok: true })
    expect(seller.signatures()).toMatchObject([{ accepted: { asset: base.asset, amount: '2000' } }])
  })

  it('a transaction on Solana other than the requested one', () => {
    const terms = { ...onSolana(), maxTimeoutSeconds: 60 } as Offer
    const made = solanaTransaction('a payer').toString('base64')
    expect(deviation(made, payToSolana, terms)).toMatch(/^its programs are/)
    expect(deviation(made, payToSolana, { ...terms, extra: { feePayer: payToSolana } })).toMatch(/fees/)
  })

  it('whose fees its payer would pay', async () => {
    const { createKeyPairSignerFromPrivateKeyBytes } = await import('@solana/kit')
    const own = await createKeyPairSignerFromPrivateKeyBytes(Uint8Array.from(JSON.parse(solanaKey)))
    const seller = await startHostileSeller(selling(quoteOf(onSolana({ extra: { feePayer: own.address } }))))
    const result = await clientOf(seller.url).call('/fx')
    expect(result).toMatchObject({ ok: false, error: { code: 'cannot_pay', charged: false } })
  })
})

describe('what is signed', () => {
  it('is for the USDC, the domain and the window of our own table', async () => {
    const seller = await startHostileSeller(selling(offering({ extra: undefined, maxTimeoutSeconds: 60 })))
    const before = Math.floor(Date.now() / 1000)
    expect(await clientOf(seller.url).call('/fx')).toMatchObject({ ok: true })
    const [{ payload }] = seller.signatures() as [ReturnType<typeof seller.signatures>[0]]
    const { authorization } = payload
    expect(authorization).toMatchObject({ value: '2000', validAfter: '0' })
    expect(Number(authorization.validBefore)).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 60)
    expect(Number(authorization.validBefore)).toBeGreaterThanOrEqual(before)
    const signed = { network: base.caip2, asset: base.asset, domain: base.domain }
    expect(signerOf(payload.signature, authorization as never, signed)).toBe(payer.address.toLowerCase())
  })

  it('is one payment a call: a seller that asks again and again, each time for more, gets no second one', async () => {
    const seller = await startHostileSeller((response, { nth }) => {
      ask402(response, offering({ amount: String(2000 * nth) }))
    })
    const result = await clientOf(seller.url, { patienceMs: 3000 }).call('/fx')
    expect(result).toMatchObject({ ok: false, error: { status: 402 } })
    expect(seller.signatures()).toMatchObject([{ payload: { authorization: { value: '2000' } } }])
  })

  it('goes to nobody else: a redirect is followed neither with a payment nor without', async () => {
    const thief = await startHostileSeller(selling(offering()))
    for (const status of [301, 302, 303, 307, 308])
      for (const before of [true, false]) {
        const seller = await startHostileSeller((response, { paid }) => {
          if (paid || before) response.writeHead(status, { location: `${thief.url}/fx` }).end()
          else ask402(response, offering())
        })
        expect(await clientOf(seller.url).call('/fx')).toMatchObject({
          ok: false,
          // A seller that answers a payment with a redirect holds the payment.
          error: { code: 'redirected', status, charged: before ? false : null },
        })
      }
    expect(thief.heard).toEqual([])
  })
})

describe('a paid call that fails', () => {
  it.each([
    ['with a page of a proxy', (): [number, string, string] => [502, 'text/html', '<h1>Bad Gateway</h1>']],
    ['with JSON that says nothing of money', (): [number, string, string] => [500, 'application/json', '{}']],
    ['with JSON that is no object', (): [number, string, string] => [500, 'application/json', 'null']],
  ])('%s is not called free', async (_, told) => {
    const seller = await startHostileSeller((response, { paid }) => {
      const [status, type, body] = told()
      if (paid) response.writeHead(status, { 'content-type': type }).end(body)
      else ask402(response, offering())
    })
    const result = await clientOf(seller.url).call('/fx')
    expect(result).toMatchObject({ ok: false, error: { charged: null, payment: expect.any(String) } })
  })

  it('with a Retry-After of a million years is asked again within the patience, and not at once', async () => {
    const seller = await startHostileSeller((response, { paid }) => {
      if (!paid) return ask402(response, offering())
      response.setHeader('retry-after', '99999999999')
      answer(response, 503, { error: 'payment_unknown', charged: null })
    })
    const result = await clientOf(seller.url, { patienceMs: 1200 }).call('/fx')
    expect(result).toMatchObject({ ok: false, error: { code: 'payment_unknown', charged: null } })
    expect(seller.heard.length).toBeLessThan(6)
    expect(seller.signatures()).toHaveLength(1)
  })

  it('an answer without an end is cut off', async () => {
    const seller = await startHostileSeller((response, { paid }) => {
      if (!paid) return ask402(response, offering())
      response.writeHead(200, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(1 << 20, ' ')
      const pour = () => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', pour)
      pour()
    })
    const result = await clientOf(seller.url).call('/fx')
    expect(result).toMatchObject({ ok: false, error: { charged: null, payment: expect.any(String) } })
  })

  it('an unreadable settlement does not take the answer away', async () => {
    const seller = await startHostileSeller((response, { paid }) => {
      if (!paid) return ask402(response, offering())
      response.setHeader('payment-response', '%%%')
      answer(response, 200, { said: 'hello' })
    })
    expect(await clientOf(seller.url).call('/fx')).toMatchObject({ ok: true, answer: { said: 'hello' } })
  })
})

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { networks } from '../../../schemas/tables/networks.ts'
import { defineOperation, type Operation } from '../../../services/offer/operation.ts'
import { atomic, Quotes } from '../../../services/till/quotes.ts'
import { originOf } from '../an-origin.ts'
import { echo, payTo, payToSolana } from './paying.ts'

let time = 0
const blocks = new Map<string, string>()
const options = {
  origins: [originOf([echo])],
  payTo: [
    { name: 'solana' as const, address: payToSolana },
    { name: 'base' as const, address: payTo },
  ],
  blocks: { of: (network: string) => blocks.get(network) },
  now: () => time,
}
const base = { network: networks.base.caip2, feePayer: undefined }
const solana = (feePayer: string) => ({ network: networks.solana.caip2, feePayer })
const decoded = (quotes: Quotes) => JSON.parse(Buffer.from(quotes.of(echo).header, 'base64').toString())

describe('atomic amounts', () => {
  it.each([
    ['0.002', '2000'],
    ['0.10', '100000'],
    ['5', '5000000'],
    ['0.000001', '1'],
  ])('%s dollars', (price, amount) => expect(atomic(price)).toBe(amount))

  it.each(['0', '0.0000001', '0.000000', '-1', '1e3', '', '$1'])('"%s" is refused', price => {
    expect(() => atomic(price)).toThrow(/cannot be charged/)
  })
})

describe('the quote', () => {
  it('offers Base alone until the facilitator was heard, then both, Base first', () => {
    const quotes = new Quotes(options)
    expect(decoded(quotes).accepts.map((offer: { network: string }) => offer.network)).toEqual([base.network])
    quotes.refresh({ kinds: [solana('fee1'), base], signers: [] })
    expect(decoded(quotes).accepts).toEqual([
      {
        scheme: 'exact',
        network: 'eip155:8453',
        amount: '2000',
        asset: networks.base.asset,
        payTo,
        maxTimeoutSeconds: 60,
        extra: { name: 'USD Coin', version: '2' },
      },
      expect.objectContaining({ network: networks.solana.caip2, extra: { feePayer: 'fee1' } }),
    ])
  })

  it('drops a network that the facilitator does not support', () => {
    const quotes = new Quotes(options)
    quotes.refresh({ kinds: [solana('fee1')], signers: [] })
    expect(decoded(quotes).accepts).toHaveLength(1)
    expect(decoded(quotes).accepts[0].network).toBe(networks.solana.caip2)
  })

  it('keeps its fee payer while the facilitator has it, and the one before payable for a while', () => {
    const quotes = new Quotes(options)
    quotes.refresh({ kinds: [base, solana('fee1')], signers: ['fee1', 'fee2'] })
    const first = decoded(quotes).accepts[1]
    quotes.refresh({ kinds: [base, solana('fee2')], signers: ['fee1', 'fee2'] })
    expect(decoded(quotes).accepts[1]).toEqual(first)
    quotes.refresh({ kinds: [base, solana('fee3')], signers: ['fee3'] })
    expect(decoded(quotes).accepts[1].extra.feePayer).toBe('fee3')
    expect(quotes.accepted(echo, first)?.offer).toEqual(first)
    time += 16 * 60_000
    expect(quotes.accepted(echo, first)).toBeUndefined()
  })

  it('says the same in the body, with the error beside it', () => {
    const quotes = new Quotes(options)
    const { error: _, ...rest } = decoded(quotes)
    expect(JSON.parse(quotes.of(echo).body('payment_required', 'Pay "first"'))).toEqual({
      ...rest,
      error: 'payment_required',
      message: 'Pay "first". Nothing was charged.',
      charged: false,
    })
  })

  it('tells catalogues how to ask, in at most 6 KB', () => {
    const quote = decoded(new Quotes(options))
    expect(quote.resource).toEqual({
      url: 'https://farebox.example/echo',
      description: echo.about,
      mimeType: 'application/json',
      serviceName: 'Farebox',
      tags: ['echo'],
    })
    const { info, schema } = quote.extensions.bazaar
    expect(info.input).toEqual({ type: 'http', method: 'POST', bodyType: 'json', body: { say: 'hello' } })
    expect(schema.properties.input.properties.body.properties.say.type).toBe('string')
    expect(info.output.example).toEqual({ said: 'hello' })
    expect(quote.extensions['payment-identifier'].info).toEqual({ required: false })

    const long = defineOperation({ ...echo, example: { request: {}, response: { said: 'o'.repeat(9000) } } })
    const shortened = new Quotes({ ...options, origins: [originOf([long])] }).of(long)
    expect(shortened.header.length).toBeLessThanOrEqual(6 * 1024)
    const request = z.strictObject({ say: z.string().describe('o'.repeat(9000)) })
    const endless: Operation = { ...echo, request }
    expect(() => new Quotes({ ...options, origins: [originOf([endless])] })).toThrow(/bytes of header/)
  })
})

describe('the recent block of a quote', () => {
  const hash = (letter: string) => letter.repeat(44)
  const opened = (origins = options.origins) => {
    const quotes = new Quotes({ ...options, origins })
    quotes.refresh({ kinds: [base, solana('fee1')], signers: ['fee1'] })
    return quotes
  }

  it('stands beside the offer of Solana while it is known, and is no part of the offer', () => {
    const quotes = opened()
    const without = decoded(quotes)
    blocks.set(solana('').network, hash('a'))
    const [onBase, onSolana] = decoded(quotes).accepts
    expect(onBase).toEqual(without.accepts[0])
    expect(onSolana.extra).toEqual({ feePayer: 'fee1', recentBlockhash: hash('a') })
    expect(JSON.parse(quotes.of(echo).unpaid.toString()).accepts[1]).toEqual(onSolana)
    blocks.set(solana('').network, hash('b'))
    expect(decoded(quotes).accepts[1].extra.recentBlockhash).toBe(hash('b'))
    // The payer sends back what he was quoted, or what others have quoted.
    for (const accepted of [onSolana, without.accepts[1]]) {
      expect(quotes.accepted(echo, accepted)?.offer.extra).toEqual({ feePayer: 'fee1' })
      expect(quotes.accepted(echo, accepted)?.json).not.toContain('recentBlockhash')
    }
    blocks.clear()
    expect(decoded(quotes)).toEqual(without)
  })

  it('is written once for each block', () => {
    blocks.set(solana('').network, hash('a'))
    const quotes = opened()
    expect(quotes.of(echo)).toBe(quotes.of(echo))
    blocks.clear()
  })

  it('gives way to the example where the header has no room for both', () => {
    blocks.set(solana('').network, hash('a'))
    let [shown, withBlock] = [0, 0]
    for (let length = 1000; length < 4500; length += 20) {
      const long = defineOperation({
        ...echo,
        example: { request: {}, response: { said: 'o'.repeat(length) } },
      })
      const header = opened([originOf([long])]).of(long).header
      expect(header.length).toBeLessThanOrEqual(6 * 1024)
      const text = Buffer.from(header, 'base64').toString()
      if (text.includes('ooo')) shown = length
      if (text.includes('ooo') && text.includes('recentBlockhash')) withBlock = length
    }
    blocks.clear()
    expect(shown).toBeGreaterThan(withBlock)
  })
})

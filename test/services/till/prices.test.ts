import { expect, it } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { Tariff } from '../../../services/offer/tariff.ts'
import { Quotes } from '../../../services/till/quotes.ts'
import { OwnTerms } from '../../../services/till/settle/terms.ts'
import { originOf } from '../an-origin.ts'
import { echo, offer, payTo, payToSolana, shout, signed } from './paying.ts'
import { openBench } from './tills.ts'

const other = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const minutes = 60_000
const names = ['base', 'solana'] as const

function opened() {
  const clock = { time: 1e12 }
  const prices = new Tariff(names)
  const quotes = new Quotes({
    origins: [originOf([echo, shout])],
    payTo: [
      { name: 'base', address: payTo },
      { name: 'solana', address: payToSolana },
    ],
    prices,
    now: () => clock.time,
  })
  quotes.refresh({
    kinds: [
      { network: networks.base.caip2, feePayer: undefined },
      { network: networks.solana.caip2, feePayer: 'fee1' },
    ],
    signers: ['fee1'],
  })
  const offersOf = (product = echo) => quotes.of(product).payable.map(({ offer }) => offer)
  return { clock, prices, quotes, offersOf }
}

it('the narrower word counts', () => {
  const { prices, offersOf } = opened()
  prices.take({
    pay_to: { base: other },
    origins: { testing: { price: '0.5', prices: { solana: '0.6' } } },
    operations: { '/echo': { prices: { base: '0.7' }, pay_to: { base: payTo } } },
  })
  expect(offersOf().map(({ amount, payTo }) => [amount, payTo])).toEqual([
    ['700000', payTo],
    ['600000', payToSolana],
  ])
  expect(offersOf(shout).map(({ amount, payTo }) => [amount, payTo])).toEqual([
    ['500000', other],
    ['600000', payToSolana],
  ])
})

it('an offer that was given is honoured for a quarter of an hour after the change, and no longer', () => {
  const { clock, prices, quotes, offersOf } = opened()
  const [before] = offersOf()
  prices.take({ operations: { '/echo': { price: '0.003', pay_to: { base: other } } } })
  clock.time += 15 * minutes - 1
  expect(quotes.accepted(echo, { ...before })?.offer).toEqual(before)
  expect(quotes.accepted(echo, { ...before, amount: '3000' })).toBeUndefined()
  expect([...quotes.payees].map(({ address }) => address)).toEqual([payTo, payToSolana, other])
  clock.time += 1
  expect(quotes.accepted(echo, { ...before })).toBeUndefined()
})

it('no other operation takes an old price', () => {
  const { prices, quotes, offersOf } = opened()
  prices.take({ operations: { '/echo': { price: '0.001' } } })
  const [cheap] = offersOf()
  prices.take({})
  expect(quotes.accepted(echo, { ...cheap })).toBeDefined()
  expect(quotes.accepted(shout, { ...cheap })).toBeUndefined()
})

it('a book that a listener cannot follow changes nothing', () => {
  const { prices, offersOf } = opened()
  const before = offersOf()
  let isFull = true
  prices.listen(() => {
    if (isFull && prices.priceOf('testing', echo, 'base') !== echo.price) throw new Error('no room')
  })
  expect(() => prices.take({ operations: { '/echo': { price: '0.003' } } })).toThrow('no room')
  expect(offersOf()).toEqual(before)
  isFull = false
  prices.take({ operations: { '/echo': { price: '0.003' } } })
  expect(offersOf()[0]?.amount).toBe('3000')
})

it('the books have the price that was paid, also of an old quote', async () => {
  const prices = new Tariff(['base'])
  const bench = await openBench({ prices })
  prices.take({ operations: { '/echo': { price: '0.005' } } })
  const sold = await bench.buy(await signed())
  expect(JSON.parse(sold.body).receipt.price_usdc).toBe(0.002)
  const dearer = { ...(await signed({ value: '5000' })), accepted: { ...offer, amount: '5000' } }
  expect(JSON.parse((await bench.buy(dearer)).body).receipt.price_usdc).toBe(0.005)
})

it('our own facilitator settles the prices and payees of the file, and old ones a little longer than they are taken', () => {
  const clock = { time: 1e12 }
  const prices = new Tariff(['base'])
  const sold = [echo, shout].map(({ path, price }) => ({ origin: 'testing', path, price }))
  const terms = new OwnTerms([{ name: 'base', address: payTo }], sold, { prices, now: () => clock.time })
  const dearer = { ...offer, amount: '3000', payTo: other }
  expect(terms.offerOf(dearer)).toBeUndefined()
  prices.take({ origins: { testing: { price: '0.003', pay_to: { base: other } } } })
  expect(terms.offerOf(dearer)).toEqual(dearer)
  expect(terms.offerOf({ ...offer, payTo: other })).toBeUndefined()
  expect(terms.offerOf({ ...dearer, payTo: payToSolana })).toBeUndefined()
  clock.time += 16 * minutes
  expect(terms.offerOf(offer)).toEqual(offer)
  clock.time += 4 * minutes
  expect(terms.offerOf(offer)).toBeUndefined()
})

it.each(['scheme', 'network', 'amount', 'asset', 'payTo', 'extra'])(
  'knows no offer whose %s is an object that no text can be made of',
  name => {
    const terms = new OwnTerms(
      [{ name: 'base', address: payTo }],
      [{ origin: 'testing', path: '/echo', price: '0.002' }],
    )
    const offered = terms.offerOf({ ...offer, [name]: { toString: 'x' } })
    expect(offered).toEqual(name === 'extra' ? offer : undefined)
  },
)

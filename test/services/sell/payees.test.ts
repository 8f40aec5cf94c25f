/** A file that sells names who is paid for what it sells. */
import { expect, it } from 'vitest'
import { checkPayees } from '../../../services/config/settle-config.ts'
import { payeesOf } from '../../../services/offer/payees.ts'
import { Tariff } from '../../../services/offer/tariff.ts'
import { originOf } from '../an-origin.ts'
import { openSelling } from '../query/selling.ts'
import { echo, shout } from '../till/paying.ts'
import { fileOf, read, shown } from './reading.ts'

const [own, other] = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
]
const file = (payTo: string) => fileOf().replace('title: Tide tables', `title: Tide tables\npay_to: ${payTo}`)

it('is told by the file, and a wrong wallet has its line', () => {
  expect(read(file(`{ base: '${own}' }`)).origin).toMatchObject({ payTo: { base: own } })
  for (const wrong of [
    `{ base: '${own.toLowerCase().replace('c8', 'C9')}' }`,
    `{ base: '0x${'0'.repeat(40)}' }`,
    '{ mars: x }',
  ])
    expect(read(file(wrong)).faults.map(shown)).toEqual([expect.stringMatching(/^3:\d+ pay_to/)])
})

it('stands before the wallet of all, and a file of prices stands before it', () => {
  const payees = payeesOf([{ name: 'tides', payTo: { base: own } }, { name: 'data' }])
  const payee = (book: object, origin = 'tides') =>
    new Tariff(['base'], book, payees).payeeOf(origin, { path: '/tide' }, 'base')
  expect(payee({})).toBe(own)
  expect(payee({}, 'data')).toBeUndefined()
  expect(payee({ pay_to: { base: other } })).toBe(own)
  expect(payee({ origins: { tides: { pay_to: { base: other } } } })).toBe(other)
})

it('stands in the quote of its operations', async () => {
  const { name } = originOf([echo, shout])
  const selling = await openSelling({ prices: new Tariff(['base'], {}, { [name]: { base: own } }) })
  const quote = await selling.ask({ body: '{}' })
  const offers = JSON.parse(Buffer.from(quote.headers.get('payment-required') ?? '', 'base64').toString())
  expect(offers.accepts.map(({ payTo }: { payTo: string }) => payTo)).toContain(own)
})

it('is no key that pays fees or refunds: those hold what callers have not paid', () => {
  const payees = payeesOf([{ name: 'tides', payTo: { base: own } }])
  const feePayer = (address: string) => address === own
  expect(() => checkPayees(payees, feePayer)).toThrow(
    'pay_to of tides is the address of a key that pays fees',
  )
  expect(() => checkPayees(payees, address => address === other)).not.toThrow()
})

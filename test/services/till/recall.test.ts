/** The work that a stranger's payment may cause at our nodes. */
import { expect, it } from 'vitest'
import { header, otherPayer, type Signed, signed } from './paying.ts'
import { openBench } from './tills.ts'

const hourAgo = () => String(Math.floor(Date.now() / 1000) - 3600)

async function open() {
  const bench = await openBench()
  bench.facilitator.chain = 'truthful'
  const asked = (payment: Signed, caller = 'a stranger') =>
    bench.till.recalled(bench.till.decode(header(payment)), caller)
  const looks = () => bench.facilitator.chainCalls
  return { ...bench, asked, looks }
}

it('asks no node about what its payer has not signed for us', async () => {
  const { asked, looks } = await open()
  const past = { validBefore: hourAgo() }
  const forged = await signed(past, Date.now(), 'base', otherPayer)
  forged.payload.authorization.from = (await signed()).payload.authorization.from as string
  const contract = await signed(past)
  contract.payload.signature += '00'
  const foreign = await signed({ ...past, to: otherPayer.address })
  const broken = await signed(past)
  broken.payload.signature = 'none'
  const words = []
  for (const each of [forged, contract, foreign, broken]) words.push(await asked(each))
  expect(words).toEqual([null, null, null, false])
  expect(looks()).toBe(0)
})

it('asks no node about what the memory would still hold', async () => {
  const { asked, looks } = await open()
  expect(await asked(await signed())).toBe(false)
  expect(looks()).toBe(0)
})

it('calls no fresh payment charged, whoever has signed it, nor what is no payment at all', async () => {
  const { asked, looks } = await open()
  const ofContract = await signed()
  ofContract.payload.signature += '00'
  const none = { x402Version: 2, accepted: {}, payload: {} } as never
  expect([await asked(ofContract), await asked(none)]).toEqual([false, false])
  expect(looks()).toBe(0)
})

it('asks once about a payment whose end the chain has told', async () => {
  const { asked, looks, facilitator } = await open()
  const [free, paid] = [await signed({ validBefore: hourAgo() }), await signed({ validBefore: hourAgo() })]
  const tx = `0x${'7'.repeat(64)}`
  facilitator.landed.push({ ...(paid.payload.authorization as never as { nonce: string }), tx } as never)
  expect([await asked(free), await asked(paid)]).toEqual([false, { tx }])
  const before = looks()
  expect(before).toBeGreaterThan(0)
  expect([await asked(free), await asked(paid)]).toEqual([false, { tx }])
  expect(looks()).toBe(before)
})

it('asks for one caller a few times a minute, and for others still', async () => {
  const { asked, looks } = await open()
  const words = []
  for (let i = 0; i < 12; i++) words.push(await asked(await signed({ validBefore: hourAgo() })))
  expect(words.filter(word => word === null)).toHaveLength(2)
  const before = looks()
  expect(await asked(await signed({ validBefore: hourAgo() }))).toBe(null)
  expect(looks()).toBe(before)
  expect(await asked(await signed({ validBefore: hourAgo() }), 'somebody else')).toBe(false)
})

it('looks at one payment of a caller at a time', async () => {
  const { asked } = await open()
  const payments = await Promise.all([1, 2, 3].map(() => signed({ validBefore: hourAgo() })))
  const words = await Promise.all(payments.map(each => asked(each)))
  expect(words.filter(word => word === null)).toHaveLength(2)
})

it('asks for nobody about what is older than anything that may be owed', async () => {
  const { asked, looks } = await open()
  const yearsAgo = String(Math.floor(Date.now() / 1000) - 3 * 365 * 86_400)
  expect(await asked(await signed({ validBefore: yearsAgo }))).toBe(null)
  expect(looks()).toBe(0)
})

it('has the same bound for whoever presents a refused payment to buy with it', async () => {
  const bench = await openBench({ limits: { sweepMs: 600_000, unknownMs: 200 } })
  Object.assign(bench.facilitator, { settle: 'refused', reason: 'insufficient_funds', chain: 'truthful' })
  const payment = await signed()
  await expect(bench.buy(payment)).rejects.toMatchObject({ charged: false })
  const told = new Set<string>()
  for (let i = 0; i < 70; i++) {
    const error = await bench
      .buy(payment, { caller: 'a stranger' })
      .catch((thrown: { code: string }) => thrown)
    told.add((error as { code: string }).code)
  }
  expect([...told]).toEqual(['invalid_payment', 'payment_unknown'])
  const limit = bench.facilitator.chainCalls
  await expect(bench.buy(payment, { caller: 'a stranger' })).rejects.toMatchObject({ charged: null })
  expect(bench.facilitator.chainCalls).toBe(limit)
})

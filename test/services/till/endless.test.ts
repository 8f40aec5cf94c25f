/** Payments whose end nobody can tell have a bound, whatever the reason, and close the till to nobody else. */
import { randomBytes } from 'node:crypto'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { until } from '../../until.ts'
import { signed } from './paying.ts'
import type { Mood } from './stub-facilitator.ts'
import { openBench, options } from './tills.ts'

const stranger = { caller: 'one stranger' }
const newWallet = () => privateKeyToAccount(generatePrivateKey())
const incompressible = (bytes: number) => JSON.stringify({ said: randomBytes(bytes / 2).toString('hex') })

it('many kinds of unknown from one stranger leave honest payers served', async () => {
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  const bench = await openBench({ now, limits: { sweepMs: 100, unknownMs: 20 } })
  const { facilitator } = bench
  const kinds: Mood[] = [
    'error before',
    'html',
    'pending',
    'refused',
    'invented',
    'wrong network',
    'too many',
  ]
  const codes = new Set<string>()
  for (let nth = 0; nth < 280; nth++) {
    const mood = kinds[nth % kinds.length] as Mood
    // The chain is silent throughout.
    Object.assign(facilitator, { settle: mood, chain: 'silent', retryAfter: '0' })
    const payment = await signed({}, now(), 'base', newWallet())
    await bench
      .buy(payment, { ...stranger, answer: async () => incompressible(90_000) })
      .catch(({ code }) => codes.add(code))
    if (nth % 40 === 39) aheadMs += 61_000
  }
  expect(codes).toContain('payment_unknown')
  // Wallets cost nothing, and he has had his share.
  expect(codes).toContain('too_many_requests')
  Object.assign(facilitator, { settle: 'well' })
  await until(async () => {
    const sold = await bench.buy(await signed({}, now())).catch(() => undefined)
    return sold !== undefined
  }, 'an honest payer to be served')
}, 60_000)

it('a caller who leaves 64 open buys nothing more until one of them has ended', async () => {
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  const bench = await openBench({ now, limits: { unknownMs: 0 } })
  bench.facilitator.settle = 'error before'
  const ask = async () =>
    bench.buy(await signed({}, now(), 'base', newWallet()), stranger).catch(({ code }) => code)
  for (let nth = 0; nth < 64; nth++) {
    if (nth % 25 === 24) aheadMs += 61_000
    expect(await ask()).toBe('payment_unknown')
  }
  aheadMs += 61_000
  expect(await ask()).toBe('busy')
  bench.facilitator.settle = 'well'
  expect(await ask()).toBe('busy')
  expect((await bench.buy(await signed({}, now()))).replayed).toBe(false)
}, 60_000)

it('what nobody can be asked about is our fault, and not the silence of a node', async () => {
  const heard: string[] = []
  const bench = await openBench({
    limits: { sweepMs: 20, unknownMs: 20 },
    onError: error => heard.push((error as Error).message),
  })
  const usual = options(bench.log, bench.facilitator.url)
  await bench.restart({ config: { ...usual.config, rpcUrls: { base: [`${bench.facilitator.url}/chain`] } } })
  bench.facilitator.settle = 'error before'
  await expect(bench.buy(await signed())).rejects.toMatchObject({ code: 'payment_unknown' })
  expect(heard.some(message => message.startsWith('no base node answers'))).toBe(true)
  expect(heard.some(message => message.startsWith('our fault'))).toBe(false)
  await bench.restart({ config: { ...usual.config, rpcUrls: {} } })
  await until(() => heard.some(message => message.startsWith('our fault')), 'the fault to be told')
})

it('the answer of a payment without an end leaves the memory, and after a week the payment does too', async () => {
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  const errors: string[] = []
  const bench = await openBench({
    now,
    limits: { sweepMs: 20, unknownMs: 20 },
    onError: error => errors.push((error as Error).message),
  })
  bench.facilitator.settle = 'error before'
  const payment = await signed()
  const text = incompressible(60_000)
  await expect(bench.buy(payment, { answer: async () => text })).rejects.toMatchObject({
    code: 'payment_unknown',
  })
  expect(await bench.blobs()).toHaveLength(0)
  aheadMs = 5 * 60_000
  await until(async () => (await bench.blobs()).length === 1, 'the answer to be put away')
  aheadMs = 8 * 24 * 60 * 60_000
  await until(() => errors.some(message => message.includes('is given up')), 'the payment to be given up')
})

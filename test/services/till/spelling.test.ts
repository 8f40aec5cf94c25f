/** The letters of an EVM address may be written in many ways. A signature covers its bytes, so all of them are one wallet. */
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { promised as asPromised } from '../../../schemas/till-promises.ts'
import { saleBytes } from '../../../services/till/sale/places.ts'
import { until } from '../../until.ts'
import { otherPayer, payer, payTo, type Signed, signed } from './paying.ts'
import { openBench } from './tills.ts'

/** In no form of EIP-55, so a node's library refuses it. */
const odd = (address: string): string =>
  `0x${[...address.slice(2).toLowerCase()].map((letter, i) => (i % 2 ? letter.toUpperCase() : letter)).join('')}`
const capital = (address: string): string => `0x${address.slice(2).toUpperCase()}`
/** The nth way to write it. */
const spelt = (address: string, nth: number): string => {
  let bits = nth
  const letters = [...address.slice(2).toLowerCase()].map(letter => {
    if (!/[a-f]/.test(letter)) return letter
    const isCapital = bits & 1
    bits >>= 1
    return isCapital ? letter.toUpperCase() : letter
  })
  return `0x${letters.join('')}`
}

async function written(spell: (address: string) => string, by = payer): Promise<Signed> {
  const payment = await signed({}, Date.now(), 'base', by)
  payment.payload.authorization.from = spell(by.address)
  return payment
}

it.each([
  ['in capitals', capital],
  ['in no form of EIP-55', odd],
])(
  'an honest payer whose library writes addresses %s gets his answer when the reply is lost',
  async (_, spell) => {
    const bench = await openBench({ limits: { sweepMs: 20, unknownMs: 5000 } })
    Object.assign(bench.facilitator, { chain: 'truthful', settle: 'error after' })
    const sold = await bench.buy(await written(spell))
    expect(JSON.parse(sold.body)).toMatchObject({ said: 'hello', receipt: { charged: true } })
  },
)

it('an empty wallet in odd letters is refused for free, and leaves nothing open', async () => {
  const bench = await openBench({ limits: { sweepMs: 20, unknownMs: 200 } })
  Object.assign(bench.facilitator, { chain: 'truthful', settle: 'refused', reason: 'insufficient_funds' })
  const payment = await written(odd, privateKeyToAccount(generatePrivateKey()))
  await expect(bench.buy(payment)).rejects.toMatchObject({ code: 'insufficient_funds', charged: false })
})

it('one wallet has one share of the places, however it is spelt', async () => {
  const bench = await openBench({ limits: { salesBytes: 16.5 * saleBytes } })
  bench.facilitator.moodFor = from => (from === payer.address ? 'hang' : undefined)
  let busy = 0
  for (let nth = 0; nth < 16; nth++) {
    const payment = await written(address => spelt(address, nth))
    bench.buy(payment).catch(({ code }) => {
      if (code === 'busy') busy++
    })
  }
  await until(() => busy === 8, 'all but half to be refused')
  const sold = await bench.buy(await signed({}, Date.now(), 'base', otherPayer))
  expect(JSON.parse(sold.body)).toMatchObject({ said: 'hello' })
})

it('a record of an older release, in odd letters, is read as one that nodes can be asked about', () => {
  const [at, sha] = [new Date().toISOString(), 'a'.repeat(64)]
  const names = { from: odd(payer.address), to: odd(otherPayer.address) }
  const promised = {
    ...{ promised_at: at, origin: 'test', operation: 'echoOnce', network: 'base', price_usdc: '0.002' },
    ...{ payer: names.from, pay_to: payTo, fingerprint: sha, question_sha256: sha, answer_sha256: sha },
    ...{ dead_at: at, answer: '{"said":"hello"}' },
    trace: { network: 'eip155:8453', ...names, value: '2000', nonce: '0x1', valid_before: 1 },
  }
  const read = asPromised.parse(promised)
  const plain = payer.address.toLowerCase()
  expect(read).toMatchObject({ payer: plain, trace: { from: plain, to: otherPayer.address.toLowerCase() } })
})

/** Which facilitator serves which network, and which secret goes to which. */
import { expect, it } from 'vitest'
import { addressesOf, isAlone, namesSelf } from '../../../services/till/facilitator/addresses.ts'
import { mostFacilitators } from '../../../services/till/variables.ts'
import { signed } from './paying.ts'
import { openBench } from './tills.ts'
import { openTwo } from './two-facilitators.ts'

const cdp = 'https://api.cdp.coinbase.com/platform/v2/x402'
const sold = ['base', 'solana'] as const
const keyOfCdp = { CDP_API_KEY_ID: 'id', CDP_API_KEY_SECRET: 'secret' }

it('each has its own token, and only the host of CDP gets what is made with its key', () => {
  const tokens = { FACILITATOR_TOKEN: 'one', FACILITATOR_TOKEN_3: 'three' }
  const urls = ['http://a', cdp, 'http://c', 'https://api.cdp.coinbase.com.example/x402']
  const given = addressesOf({ FACILITATOR_URL: urls, ...tokens, ...keyOfCdp }, sold)
  expect(given.map(({ token, cdpKey }) => [token, cdpKey])).toEqual([
    ['one', undefined],
    [undefined, { id: 'id', secret: 'secret' }],
    ['three', undefined],
    [undefined, undefined],
  ])
})

it('the variable of a network overrules the common one, and an address is counted where it stands first', () => {
  const given = addressesOf(
    {
      FACILITATOR_URL: ['http://a', 'http://b'],
      FACILITATOR_URL_BASE: ['http://b', 'http://c'],
      FACILITATOR_URL_POLYGON: ['http://d'],
      FACILITATOR_TOKEN_3: 'of c',
    },
    sold,
  )
  expect(given.map(({ url, places, token }) => [url, places, token])).toEqual([
    ['http://a', { solana: 0 }, undefined],
    ['http://b', { solana: 1, base: 0 }, undefined],
    ['http://c', { base: 1 }, 'of c'],
  ])
})

it('refuses a network without any, a token without an address, and too many addresses', () => {
  expect(() => addressesOf({ FACILITATOR_URL_BASE: ['http://a'] }, sold)).toThrow(/FACILITATOR_URL_SOLANA/)
  expect(addressesOf({ FACILITATOR_URL_BASE: ['http://a'] }, ['base'])).toHaveLength(1)
  const one = { FACILITATOR_URL: ['http://a'], FACILITATOR_TOKEN_2: 'left over' }
  expect(() => addressesOf(one, sold)).toThrow(/^FACILITATOR_TOKEN_2 is set/)
  const many = Array.from({ length: mostFacilitators }, (_, i) => `http://${i}`)
  expect(addressesOf({ FACILITATOR_URL: many }, sold)).toHaveLength(mostFacilitators)
  expect(() => addressesOf({ FACILITATOR_URL: many, FACILITATOR_URL_BASE: ['http://z'] }, sold)).toThrow(/7/)
})

it('this process may stand last in a list, or alone, by its word', () => {
  const values = { FACILITATOR_URL: [cdp, 'self'], FACILITATOR_URL_SOLANA: ['self'], ...keyOfCdp }
  expect(addressesOf(values, sold).map(({ url, places }) => [url, places])).toEqual([
    [cdp, { base: 0 }],
    ['self', { base: 1, solana: 0 }],
  ])
  expect(sold.map(network => isAlone(values, network))).toEqual([false, true])
  expect([namesSelf(values), namesSelf({ FACILITATOR_URL: [cdp] })]).toEqual([true, false])
})

it('a token is sent to its own address alone', async () => {
  const { first, second } = await openTwo()
  const bench = await openBench()
  const { config } = (await import('./tills.ts')).options(bench.log, first.url)
  await bench.restart({
    config: { ...config, facilitators: [{ url: first.url, token: 'of the first' }, { url: second.url }] },
  })
  for (const each of [first, second]) each.authorizations.length = 0
  first.settle = 'error before'
  await bench.buy(await signed())
  expect([second.calls.settle, new Set(first.authorizations), new Set(second.authorizations)]).toEqual([
    1,
    new Set(['Bearer of the first']),
    new Set([undefined]),
  ])
})

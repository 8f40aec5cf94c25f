import { expect, it } from 'vitest'
import { addressOn, transactionOn } from '../../../../pipelines/domains/chain/addresses.ts'
import { markets } from '../../../../pipelines/domains/chain/evm/chains/index.ts'
import {
  knownToken,
  listedOn,
  twinOf,
  twinWarning,
} from '../../../../pipelines/domains/chain/known-tokens.ts'
import { knownTokens } from '../../../../pipelines/domains/chain/svm/known-tokens.ts'
import { cleaned, likeness } from '../../../../pipelines/domains/chain/text.ts'
import { chainNames, chains, isEvmChain } from '../../../../schemas/tables/chains.ts'

const usdc = chains.base.usdc

it('an address has one canonical form, whatever its letters', () => {
  for (const text of [usdc, usdc.toLowerCase(), `0x${usdc.slice(2).toUpperCase()}`])
    expect(addressOn('base', text)).toBe(usdc)
  expect(addressOn('solana', chains.solana.usdc)).toBe(chains.solana.usdc)
})

it.each([
  ['base', usdc.replace('A', 'a'), /checksum is wrong/],
  ['base', usdc.slice(0, -1), /40 hex digits/],
  ['base', chains.solana.usdc, /looks like a Solana address/],
  ['solana', usdc, /looks like an address of 0x/],
  ['solana', '1'.repeat(44), /an address has 32 bytes/],
  ['solana', '5'.repeat(88), /a signature of a transaction/],
  ['base', `0x${'0'.repeat(64)}`, /id of a v4 pool/],
  ['base', 'x'.repeat(5000), /…/],
] as const)('on %s, %s is refused with its reason', (chain, text, why) => {
  expect(addressOn(chain, text)).toMatchObject({
    refused: 'invalid_address',
    because: expect.stringMatching(why),
  })
})

it('a transaction has one form too', () => {
  const hash = `0x${'AB'.repeat(32)}`
  expect(transactionOn('base', hash)).toBe(hash.toLowerCase())
  expect(transactionOn('solana', hash)).toMatchObject({ refused: 'unknown_transaction' })
  expect(transactionOn('base', usdc)).toMatchObject({ because: expect.stringMatching(/this is an address/) })
  expect(transactionOn('solana', hash)).toMatchObject({ because: expect.stringMatching(/an EVM chain$/) })
  expect(transactionOn('base', '5'.repeat(88))).toMatchObject({ because: expect.stringMatching(/Solana$/) })
})

it('every address of the tables has a correct checksum, and occurs once', () => {
  for (const name of chainNames.filter(isEvmChain)) {
    const { wrapped, quotes, factories } = markets[name]
    const { usdc: dollar, usdt } = chains[name]
    const tokens = [...quotes.map(({ address }) => address), ...listedOn(name).map(each => each.address)]
    for (const address of [
      wrapped,
      dollar,
      ...(usdt ? [usdt] : []),
      ...tokens,
      ...factories.map(each => each.address),
    ])
      expect(addressOn(name, address)).toBe(address)
    expect(new Set(tokens.map(address => address.toLowerCase())).size).toBe(tokens.length)
  }
  for (const { address } of knownTokens) expect(addressOn('solana', address)).toBe(address)
})

it.each([
  ['usd coin', '?'],
  ['?', ' $USDC. '],
  ['Dai\u200AStablecoin', '?'],
])('%s (%s) bears the name or the symbol of a known token', (name, symbol) => {
  const known = [knownToken(usdc, 'USDC'), ...listedOn('base')]
  expect(twinOf(known, '0x1', [name, symbol])).toMatchObject({ symbol: expect.stringMatching(/USDC|DAI/) })
  expect(twinOf(known, usdc.toLowerCase(), [name, symbol])).toBeUndefined()
})

it.each([
  ['base', '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA'],
  ['arbitrum', '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8'],
  ['optimism', '0x7F5c764cBc14f9669B88837ca1490cCa17c31607'],
  ['polygon', '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174'],
] as const)('on %s the bridged dollar %s is known, and is not USDC', (name, bridged) => {
  expect(chains[name].usdc).not.toBe(bridged)
  expect(markets[name].quotes.filter(({ symbol }) => symbol === 'USDC')).toMatchObject([
    { address: chains[name].usdc },
  ])
  expect(listedOn(name)).toContainEqual(
    expect.objectContaining({ address: bridged, symbol: expect.stringMatching(/^USD(bC|C\.e)$/) }),
  )
})

it.each([
  ['Ampere', 'AMP', false],
  ['Amp', 'AMP', true],
  ['Ampere', 'АMP', true],
  ['A dollar', 'USDC', true],
] as const)('%s (%s) copies a known token: %s', (name, symbol, copies) => {
  const known = [knownToken(usdc, 'USDC'), knownToken('0x2', 'AMP', 'Amp')]
  expect(twinOf(known, '0x1', [name, symbol])).toMatchObject({ copies })
  expect(twinWarning({ ...(known[1] as (typeof known)[number]), copies }).severity).toBe(
    copies ? 'danger' : 'info',
  )
})

it('nobody owns a symbol of one or two letters', () => {
  expect(twinOf([knownToken('0x2', 'W', 'Wormhole')], '0x1', ['Windmill', 'W'])).toBeUndefined()
  expect(twinOf([knownToken('0x2', 'W', 'Wormhole')], '0x1', ['wormhole', 'X'])).toBeDefined()
})

it.each([
  ['USD Coin', { text: 'USD Coin', odd: false }],
  ['', { text: null, odd: true }],
  ['  \u200B ', { text: null, odd: true }],
  ['US\u202ED\u202C', { text: 'USD', odd: true }],
  ['a\u0000b\nc', { text: 'abc', odd: true }],
  ['\uD83D\uDE80'.repeat(101), { text: '\uD83D\uDE80'.repeat(100), odd: true }],
  ['\uD83D lone', { text: 'lone', odd: true }],
])('%j is cleaned', (text, expected) => {
  expect(cleaned(text)).toEqual(expected)
})

it.each([
  ['USDC', 'ＵＳＤＣ'],
  ['USDC', 'UЅDС'],
  ['USDC', '$usdc'],
  ['WETH', 'W E T H'],
  ['cbETH', 'cbЕTН'],
  ['LINK', 'LÍNK'],
])('%s and %s look alike', (known, copy) => {
  expect(likeness(copy)).toBe(likeness(known))
})

it('names that differ in a letter do not look alike', () => {
  expect(likeness('USDC')).not.toBe(likeness('USDT'))
  expect(likeness('天')).toBe('天')
})

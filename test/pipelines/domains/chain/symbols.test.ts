import { describe, expect, it } from 'vitest'
import { listedOn } from '../../../../pipelines/domains/chain/known-tokens.ts'
import { isSymbol, tokenCalled } from '../../../../pipelines/domains/chain/symbols.ts'
import { UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { chainNames, chains } from '../../../../schemas/tables/chains.ts'
import { families } from '../../../../schemas/tables/networks.ts'
import type { Tools } from '../../../../services/offer/operation.ts'
import { chainPrice } from '../../../../services/origins/chain/price.ts'
import { chainOf, tokenIn, tokensIn } from '../../../../services/origins/chain/shapes.ts'
import { failureOf } from '../../../../services/query/call-failures.ts'

const refuse = (code: string, message: string): never => {
  throw new Error(`${code}: ${message}`)
}
const wethOnBase = '0x4200000000000000000000000000000000000006'

describe('A chain', () => {
  it.each([
    ['Base', 'base'],
    ['eip155:8453', 'base'],
    ['8453', 'base'],
    ['ETH', 'ethereum'],
    ['eip155:1', 'ethereum'],
    ['OP Mainnet', 'optimism'],
    [' Solana ', 'solana'],
    ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'solana'],
    ['matic', 'polygon'],
  ])('%j is %s', (said, chain) => {
    expect(chainOf(said, refuse)).toBe(chain)
  })

  it.each(['', 'mars', 'constructor', '__proto__', 'eip155:5', '84532', 'testnet'])('%j is none', said => {
    expect(() => chainOf(said, refuse)).toThrow('unsupported_chain: chain should be one of base')
  })
})

it('A chain whose nodes fail is named by the failure', async () => {
  const find = () => Promise.reject(new UpstreamFailed('no node: https://a-key.example'))
  const question = { chain: 'ETH', token: 'WETH' }
  const answer = async () => chainPrice.answer(question, { find } as unknown as Tools, refuse as never)
  expect(failureOf(await answer().catch(error => error))).toMatchObject({
    code: 'upstream_failed',
    message: 'The nodes of Ethereum do not answer, or not in time',
  })
})

describe('A token', () => {
  it.each([
    ['base', 'ETH', wethOnBase],
    ['base', 'weth', wethOnBase],
    ['base', '$DEGEN', '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed'],
    ['base', 'usdc', chains.base.usdc],
    ['ethereum', 'USDT', chains.ethereum.usdt],
    ['solana', 'SOL', 'So11111111111111111111111111111111111111112'],
    ['solana', 'bonk', 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'],
  ] as const)('on %s %s is the well-known one', (chain, symbol, address) => {
    expect(tokenIn(chain, symbol, refuse)).toBe(address)
  })

  it('that nobody knows by its symbol is refused, and that is told', () => {
    expect(() => tokenIn('base', 'NOSUCH', refuse)).toThrow(
      /invalid_address: "NOSUCH" is no address on Base: .*, and no well-known token there has this symbol/,
    )
  })

  it('shares its symbol with no other known token of its chain', () => {
    for (const chain of chainNames) {
      const symbols = listedOn(chain).map(({ symbol }) => symbol.toLowerCase())
      expect(symbols.filter((symbol, nth) => symbols.indexOf(symbol) < nth)).toEqual([])
    }
  })

  it('of a list of balances is never the coin by another name', () => {
    // The coin is in each answer, so its name asks for nothing more.
    expect(tokensIn('base', ['ETH', 'eth'], refuse)).toEqual([])
    expect(() => tokensIn('base', ['SOL'], refuse)).toThrow('"SOL" is no address on Base')
    expect(tokensIn('base', ['WETH', wethOnBase], refuse)).toEqual([wethOnBase])
  })

  it('is no symbol where it looks like an address, whatever is wrong with that', () => {
    const texts = ['0x12', '0X4200', wethOnBase.slice(0, -1), 'So1111111111111111', 'a b', '', 'x'.repeat(16)]
    expect(texts.filter(isSymbol)).toEqual([])
    expect(() => tokenIn('base', '0x12', refuse)).toThrow(/no address on Base: /)
  })

  it('has its address in the form of its chain', () => {
    for (const chain of chainNames)
      for (const symbol of ['USDC', chains[chain].native.symbol])
        expect(tokenCalled(chain, symbol, { coin: true })).toMatch(families[chains[chain].family].address)
  })
})

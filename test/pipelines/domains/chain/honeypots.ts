/** Traps that try not to be seen, and honest tokens of many shapes: what the check says of them. */
import type { Address } from 'viem'
import { isRefused, type TokenCheck } from '../../../../pipelines/domains/chain/reader.ts'
import { compiled, dollars, type Market, usdc } from './market.ts'

/** By their number in the contract. */
export const evasive = [
  'sells by transferFrom fail',
  'lets out one known address',
  'lets out an empty tx.origin',
  'lets out a gas price of zero',
  'lets out a base fee of zero',
  'lets out contracts',
  'lets out the rich',
  'lets out those with much gas',
  'lets everybody out once',
  'lets out in the block of the purchase',
  'lets out for an hour',
  'lets out five tokens',
  'returns false, and moves nothing',
  'refuses the router alone',
  'lets out a block without randomness',
  'takes 95 % from the next block on',
  'takes the tokens back with the next block',
  'forgets approvals',
  'burns all gas',
  'lets out low addresses',
  'swallows what is sold',
  'lets out a chain without a past',
  'takes what is sold out of the pool',
  'lets out the first three sales',
  'lets out in one block of 64',
  'lets out a block without a builder',
  'a fee that rises with what is held',
  'a fee that rises with the time held',
  'lets out an eighth of what is held',
  'lets out large sales alone',
  'refuses senders with code',
  'lets out at the hour of the purchase',
  'lets out one account of 16',
  'lets out the latest buyer alone',
  'lets out approvals of twice what is held',
  'lets out who has a third of a coin',
  'closes a week after the purchase',
  'closes a thousand blocks after the purchase',
  'lets out the first hundred sales',
  'lets each account out twenty times',
  'closes a hundred days after the purchase',
  'closes with the hundredth purchase',
  'lets out four sales of five by chance',
  'takes 95 % after the first fifty sales',
  'lets out in half of each seven thousand blocks',
  'closes thirty thousand blocks after the first purchase',
  'lets out on two days of seven',
  'lets out even amounts alone',
  'takes 95 % of whoever sells more than half',
] as const

/** By their number: no trial tells it, because each sells less than was bought. The README names it. */
export const untold = {
  101: 'lets the pool get back no more than was bought since its first sale',
} as const

export interface Shape {
  name: string
  contract: string
  args: readonly unknown[]
  /** In units. */
  decimals?: number
}

const honestKind = (name: string, kind: number, decimals = 18): Shape => ({
  name,
  contract: 'Honest',
  args: [BigInt(kind), decimals],
  decimals,
})

export const honest: readonly Shape[] = [
  honestKind('plain', 0),
  honestKind('a fee of 3 % on each transfer', 1),
  honestKind('a part is burnt', 2),
  honestKind('approvals from zero only', 3),
  honestKind('at most a hundredth of the supply', 4),
  honestKind('a fee that the token sells through the router', 5),
  honestKind('one transfer in a block', 6),
  honestKind('no transfer of nothing', 7),
  honestKind('five tokens at most', 8),
  honestKind('a transfer that needs some gas', 9),
  honestKind('allowances of 96 bits', 10),
  honestKind('one trade in a day', 11),
  honestKind('8 decimals', 0, 8),
  honestKind('2 decimals', 0, 2),
  honestKind('no decimals', 0, 0),
  honestKind('20 decimals', 0, 20),
  { name: 'returns nothing', contract: 'NoBool', args: [], decimals: 6 },
  { name: 'shares that round', contract: 'Shares', args: [] },
  { name: 'earns with each block', contract: 'Earning', args: [] },
  { name: 'reflection', contract: 'Reflection', args: [] },
  { name: 'a stablecoin with its powers', contract: 'Stable', args: [], decimals: 6 },
  { name: 'permits and votes', contract: 'Permits', args: [] },
]

/** Its blocks have a builder, as those of real chains do. */
export async function withHoneypots(market: Market): Promise<Market> {
  Object.assign(market.contracts, compiled('honeypots.sol'))
  await market.node.setCoinbase({ address: '0x4200000000000000000000000000000000000011' })
  return market
}

export async function checkOf(market: Market, contract: string, args: readonly unknown[], decimals = 18) {
  const token = await market.deploy(contract, ...args)
  return pooled(market, token, decimals)
}

/** Half a million of it for half a million dollars. */
export async function pooled(market: Market, token: Address, decimals = 18): Promise<TokenCheck> {
  const pair = await market.v2Pool(token, 500_000n * 10n ** BigInt(decimals), usdc, dollars(500_000))
  await market.call(token, 'begin', [pair])
  const check = await market.reader().check(token)
  if (isRefused(check)) throw new Error(check.because)
  return check
}

const telling = new Set(['cannot_buy', 'cannot_sell', 'sell_limit'])

/** A trap is told where its sale is said to fail, or its tax to be heavy. */
export const isTold = ({ warnings }: TokenCheck): boolean =>
  warnings.some(({ code, severity }) => telling.has(code) || (code.endsWith('_tax') && severity === 'danger'))

export const isAccused = (check: TokenCheck): boolean =>
  check.sellable !== true || check.warnings.some(({ severity }) => severity === 'danger')

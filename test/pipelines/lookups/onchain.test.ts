import { expect, it } from 'vitest'
import type { Lookup } from '../../../pipelines/lookups/lookup.ts'
import {
  chainBalanceLookup,
  chainCheckLookup,
  chainPortfolioLookup,
  chainPretradeLookup,
  chainPriceLookup,
  chainTokenLookup,
  chainTxLookup,
} from '../../../pipelines/lookups/onchain.ts'

const holder = { address: '0xa', tokens: ['0xb'] }
const trade = { token: '0xb', wallet: '0xa', amountUsd: '10', side: 'buy' }

it.each([
  [chainBalanceLookup, 'balance', holder, holder],
  [chainTokenLookup, 'token', { token: '0xb' }, '0xb'],
  [chainTxLookup, 'tx', { hash: '0xc' }, '0xc'],
  [chainPriceLookup, 'price', { token: '0xb' }, '0xb'],
  [chainCheckLookup, 'check', { token: '0xb' }, '0xb'],
  [chainPortfolioLookup, 'portfolio', holder, holder],
  [chainPretradeLookup, 'pretrade', trade, trade],
] as const)('$name asks the reader of the chain, and nobody else', async (lookup, what, asked, heard) => {
  const calls: unknown[] = []
  const read = (chain: string) =>
    new Proxy({}, { get: (_, method) => (question: unknown) => calls.push([chain, method, question]) })
  const { name, open } = lookup as unknown as Lookup
  await open({ chains: read }).find({ chain: 'base', ...asked }, undefined as never)
  expect(name).toBe(`chain_${what}`)
  expect(calls).toEqual([['base', what, heard]])
})

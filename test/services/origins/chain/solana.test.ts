/** The operations of the chain origin on the Solana of the sandbox. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Chains, openChains } from '../../../../pipelines/domains/chain/open-chains.ts'
import {
  systemProgram,
  tokenProgram,
  usdcMint,
  wrappedSol,
} from '../../../../pipelines/domains/chain/svm/programs.ts'
import type { Operation } from '../../../../services/offer/operation.ts'
import { chainBalance } from '../../../../services/origins/chain/balance.ts'
import { chainCheck } from '../../../../services/origins/chain/check.ts'
import { chainPortfolio } from '../../../../services/origins/chain/portfolio.ts'
import { chainPretrade } from '../../../../services/origins/chain/pretrade.ts'
import { chainPrice } from '../../../../services/origins/chain/price.ts'
import { chainToken } from '../../../../services/origins/chain/token.ts'
import { chainTx } from '../../../../services/origins/chain/tx.ts'
import { layMarket } from '../../../../services/sandbox/solana-market.ts'
import { mint, tokenAccountData } from '../../../pipelines/domains/chain/svm/account-writer.ts'
import { newKey, type Solana, startSolana } from '../../../pipelines/domains/chain/svm/solana.ts'
import { asking } from './asking.ts'

let solana: Solana
let chains: Chains
const holder = newKey()
const lonely = newKey()

beforeAll(async () => {
  solana = await startSolana()
  layMarket(solana.chain)
  chains = openChains({ [solana.reader.chain]: { urls: [solana.url], perSecond: 100_000 } }, Date.now)
  solana.lay(systemProgram, holder, Buffer.alloc(0))
  solana.lay(tokenProgram, lonely, mint())
  solana.lay(tokenProgram, newKey(), tokenAccountData(usdcMint, holder, 2_500_000n))
})
afterAll(() => solana.close())

const ask = (operation: Operation, question: Record<string, unknown>) =>
  asking(operation, { chain: solana.reader.chain, ...question }, chains)

describe('the seven reads', () => {
  it('answer in the form that they declare', async () => {
    expect(await ask(chainBalance, { address: holder, tokens: [wrappedSol] })).toMatchObject({
      native: { symbol: 'SOL', balance: '1000' },
      usdc: { balance: '2.5' },
      usdt: { balance: '0' },
      tokens: [{ token: wrappedSol, symbol: 'SOL', decimals: 9, balance: '0' }],
    })
    expect(await ask(chainToken, { token: wrappedSol })).toMatchObject({
      name: 'SOL, a sample',
      token_program: 'spl-token',
      extensions: [],
    })
    const pool = { kind: 'whirlpool', fee: 0.04, quote: 'USDC' }
    expect(await ask(chainPrice, { token: wrappedSol })).toMatchObject({
      price_usd: 150,
      pool,
      pools_seen: 1,
    })
    expect(await ask(chainCheck, { token: wrappedSol })).toMatchObject({
      price_usd: 150,
      sellable: null,
      pool,
    })
    expect(await ask(chainPortfolio, { address: holder })).toMatchObject({
      total_usd: 150_002.5,
      unpriced: 0,
    })
    const trade = { token: wrappedSol, wallet: holder, amount_usd: 150 }
    expect(await ask(chainPretrade, trade)).toMatchObject({
      side: 'buy',
      price_impact_pct: expect.closeTo(0.04, 2),
      receive: { symbol: 'SOL' },
      route: [pool],
    })
  })
})

it('a wallet that holds less than goes into the trade is told so, and its SOL counts as wrapped', async () => {
  const lacks = async (question: object) => {
    const { warnings } = await ask(chainPretrade, { token: wrappedSol, wallet: holder, ...question })
    return warnings.filter(({ code }: { code: string }) => code === 'exceeds_holding')
  }
  expect(await lacks({ amount_usd: 150, side: 'sell' })).toEqual([])
  expect(await lacks({ amount_usd: 2, side: 'buy' })).toEqual([])
  expect(await lacks({ amount_usd: 300_000, side: 'sell' })).toEqual([
    {
      code: 'exceeds_holding',
      severity: 'danger',
      evidence: 'the wallet holds 1000 SOL, and $300000 are 2000 SOL',
    },
  ])
  expect(await lacks({ amount_usd: 150, side: 'buy' })).toMatchObject([
    { severity: 'caution', evidence: 'the wallet holds 2.5 USDC, and $150 are 150 USDC' },
  ])
})

describe('refusals', () => {
  it.for([
    ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', /0x and 40 hex digits/],
    ['5'.repeat(87), /signature of a transaction/],
    [`0x${'ab'.repeat(32)}`, /no address on Solana|hex digits/],
    ['O0Il', /base58/],
    [usdcMint.slice(0, -3), /an address has 32 bytes, and this has/],
  ] as const)('%s: invalid_address', async ([address, why]) => {
    for (const [operation, question] of [
      [chainBalance, { address }],
      [chainPortfolio, { address }],
      [chainToken, { token: address }],
      [chainPretrade, { token: usdcMint, wallet: address, amount_usd: 5 }],
    ] as const)
      expect(await ask(operation, question)).toMatchObject({
        refused: 'invalid_address',
        message: expect.stringMatching(why),
      })
  })

  it('not_a_token, no_pool and unknown_transaction', async () => {
    for (const operation of [chainToken, chainPrice, chainCheck])
      expect(await ask(operation, { token: holder })).toMatchObject({ refused: 'not_a_token' })
    expect(await ask(chainPrice, { token: lonely })).toMatchObject({ refused: 'no_pool' })
    expect(await ask(chainPretrade, { token: lonely, wallet: holder, amount_usd: 5 })).toMatchObject({
      refused: 'no_pool',
    })
    for (const hash of ['1'.repeat(64), usdcMint, `0x${'ab'.repeat(32)}`])
      expect(await ask(chainTx, { hash })).toMatchObject({ refused: 'unknown_transaction' })
  })
})

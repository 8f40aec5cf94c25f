import { describe, expect, it } from 'vitest'
import {
  token2022Program,
  tokenProgram,
  usdcMint,
  wrappedSol,
} from '../../../../../pipelines/domains/chain/svm/programs.ts'
import type { ParsedTransaction } from '../../../../../pipelines/domains/chain/svm/transaction/parsed.ts'
import { transfersIn } from '../../../../../pipelines/domains/chain/svm/transaction/transfers.ts'

const systemProgram = '11111111111111111111111111111111'
const router = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'

type Balance = [account: string, mint: string, owner: string, before: number | null, after: number | null]

/** In the form of getTransaction with jsonParsed. The keys of lookup tables come after those of the message. */
function parsed(
  balances: readonly Balance[],
  instructions: ParsedTransaction['transaction']['message']['instructions'],
  meta: Partial<NonNullable<ParsedTransaction['meta']>> = {},
): ParsedTransaction {
  const keys = ['payer', ...balances.map(([account]) => account)]
  const list = (at: 3 | 4) =>
    balances.flatMap((balance, i) => {
      const amount = balance[at]
      return amount === null
        ? []
        : [
            {
              accountIndex: i + 1,
              mint: balance[1],
              owner: balance[2],
              programId: tokenProgram,
              uiTokenAmount: { amount: String(amount), decimals: 6 },
            },
          ]
    })
  return {
    slot: 5,
    blockTime: 1_700_000_000,
    meta: { err: null, fee: 5000, preTokenBalances: list(3), postTokenBalances: list(4), ...meta },
    transaction: {
      signatures: ['x'],
      message: { accountKeys: keys.map(pubkey => ({ pubkey })), instructions },
    },
  }
}

const transfer = (source: string, destination: string, amount: number) => ({
  programId: tokenProgram,
  program: 'spl-token',
  parsed: { type: 'transfer', info: { source, destination, authority: 'ann', amount: String(amount) } },
})

describe('transfers', () => {
  it('are those of instructions, including inner ones, if they add up to the balances', () => {
    const found = parsed(
      [
        ['a', usdcMint, 'ann', 10, 3],
        ['b', usdcMint, 'bob', 0, 5],
        ['c', usdcMint, 'cid', null, 2],
      ],
      [{ programId: router }],
      { innerInstructions: [{ index: 0, instructions: [transfer('a', 'b', 7), transfer('b', 'c', 2)] }] },
    )
    expect(transfersIn(found)).toMatchObject([
      {
        standard: 'spl',
        token: usdcMint,
        symbol: 'USDC',
        from: 'ann',
        to: 'bob',
        amount: '0.000007',
        raw: '7',
      },
      { from: 'bob', to: 'cid', raw: '2' },
    ])
  })

  it('are the changes of balances if no instruction is shown', () => {
    const swap = parsed(
      [
        ['a', usdcMint, 'ann', 10, 4],
        ['pool a', usdcMint, 'pool', 100, 106],
        ['b', wrappedSol, 'ann', null, 3],
        ['pool b', wrappedSol, 'pool', 50, 47],
      ],
      [{ programId: router }],
      { innerInstructions: null },
    )
    expect(transfersIn(swap)).toMatchObject([
      { token: usdcMint, from: 'ann', to: 'pool', raw: '6' },
      { token: wrappedSol, from: 'pool', to: 'ann', raw: '3' },
    ])
  })

  it('have no counterpart if no instruction names one', () => {
    const spread = parsed(
      [
        ['a', usdcMint, 'ann', 10, 0],
        ['b', usdcMint, 'bob', 0, 4],
        ['c', usdcMint, 'cid', 0, 5],
      ],
      [{ programId: router }],
    )
    expect(transfersIn(spread)).toMatchObject([
      { from: 'ann', to: null, raw: '10' },
      { from: null, to: 'bob', raw: '4' },
      { from: null, to: 'cid', raw: '5' },
    ])
  })

  it('recognise a mint, a burn, and a fee that the receiver does not get', () => {
    const info = { mint: usdcMint, authority: 'ann' }
    const minted = {
      programId: tokenProgram,
      parsed: { type: 'mintTo', info: { ...info, account: 'a', amount: '5' } },
    }
    const burned = {
      programId: tokenProgram,
      parsed: { type: 'burn', info: { ...info, account: 'b', amount: '3' } },
    }
    expect(
      transfersIn(
        parsed(
          [
            ['a', usdcMint, 'ann', 0, 5],
            ['b', usdcMint, 'bob', 3, 0],
          ],
          [minted, burned],
        ),
      ),
    ).toMatchObject([
      { from: null, to: 'ann', raw: '5' },
      { from: 'bob', to: null, raw: '3' },
    ])
    const withFee = {
      programId: token2022Program,
      parsed: {
        type: 'transferCheckedWithFee',
        info: {
          ...info,
          source: 'a',
          destination: 'b',
          tokenAmount: { amount: '100' },
          feeAmount: { amount: '3' },
        },
      },
    }
    const found = parsed(
      [
        ['a', usdcMint, 'ann', 100, 0],
        ['b', usdcMint, 'bob', 0, 97],
      ],
      [withFee],
    )
    expect(transfersIn(found)).toMatchObject([{ from: 'ann', to: 'bob', raw: '100' }])
  })

  it('of SOL come from the system program', () => {
    const sent = {
      programId: systemProgram,
      program: 'system',
      parsed: { type: 'transfer', info: { source: 'payer', destination: 'bob', lamports: 1_500_000_000 } },
    }
    expect(transfersIn(parsed([], [sent]))).toEqual([
      {
        standard: 'native',
        token: null,
        symbol: 'SOL',
        from: 'payer',
        to: 'bob',
        amount: '1.5',
        raw: '1500000000',
        token_id: null,
      },
    ])
  })

  it('are none when the transaction failed', () => {
    const failed = parsed([['a', usdcMint, 'ann', 10, 4]], [transfer('a', 'b', 6)], {
      err: { InstructionError: [0, 'x'] },
    })
    expect(transfersIn(failed)).toEqual([])
  })
})

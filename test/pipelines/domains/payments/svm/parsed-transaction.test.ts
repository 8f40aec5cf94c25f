import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type PaymentTransaction,
  transfersIn,
} from '../../../../../pipelines/domains/payments/svm/parsed-transaction.ts'
import { networks } from '../../../../../schemas/tables/networks.ts'
import { testRecorded } from '../../../../samples.ts'

const usdc = networks.solana.asset
const file = new URL('../../../../recorded/market/solana-payment.json', import.meta.url)
type Timed = PaymentTransaction & { blockTime: number }
const recorded = (): Timed => JSON.parse(readFileSync(file, 'utf8')).result
type Instruction = Timed['transaction']['message']['instructions'][number]
const instructions = (transaction: Timed) => transaction.transaction.message.instructions
const transferIn = (transaction: Timed) =>
  instructions(transaction)[2] as Instruction & { parsed: { type: string; info: Record<string, unknown> } }

test('a payment: payer and payee, by owner and not by account', () => {
  expect(transfersIn(recorded(), usdc)).toEqual([
    {
      tx: 'PaymentSignature1111111111111111111111111111111111111111111111',
      position: 2,
      block: 382_000_123,
      atMs: 1_794_816_000_000,
      payer: 'PayerOwner11111111111111111111111111111111',
      payTo: 'SellerOwner1111111111111111111111111111111',
      amount: 2500n,
      method: 'svm_exact',
      facilitator: 'FeePayer1111111111111111111111111111111111',
      nonce: null,
    },
  ])
})

describe('is plain, and not an x402 payment', () => {
  const methods = (transaction: Timed) =>
    transfersIn(transaction, usdc).map(({ method, facilitator }) => [method, facilitator])

  test('if the payer pays the fee himself', () => {
    const own = recorded()
    transferIn(own).parsed.info.authority = 'FeePayer1111111111111111111111111111111111'
    expect(methods(own)).toEqual([['plain', null]])
  })

  test('if another program takes part', () => {
    const swap = recorded()
    instructions(swap).push({ programId: 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4' })
    expect(methods(swap)).toEqual([['plain', null]])
  })

  test('if it moves money twice, each time a transfer', () => {
    const twice = recorded()
    instructions(twice).push(transferIn(twice))
    expect(methods(twice)).toEqual([
      ['plain', null],
      ['plain', null],
    ])
    expect(transfersIn(twice, usdc).map(({ position }) => position)).toEqual([2, 4])
  })

  test('if another program moves it', () => {
    const inner = recorded()
    const [transfer] = instructions(inner).splice(2, 1) as [Instruction]
    inner.meta = { ...inner.meta, err: null, innerInstructions: [{ index: 0, instructions: [transfer] }] }
    expect(methods(inner)).toEqual([['plain', null]])
    expect(transfersIn(inner, usdc).map(({ position }) => position)).toEqual([1])
  })

  test('if it is an unchecked transfer, whose token follows from its accounts', () => {
    const unchecked = recorded()
    const transfer = transferIn(unchecked)
    transfer.parsed.type = 'transfer'
    transfer.parsed.info.amount = '2500'
    delete transfer.parsed.info.mint
    expect(methods(unchecked)).toEqual([['plain', null]])
  })
})

test('a failed transaction moved nothing, and another token is not ours', () => {
  const failed = recorded()
  failed.meta = { ...failed.meta, err: { InstructionError: [2, { Custom: 1 }] } }
  expect(transfersIn(failed, usdc)).toEqual([])
  expect(transfersIn(recorded(), 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB')).toEqual([])
})

testRecorded('a relayed transfer of mainnet', ({ samples }) => {
  const path = join(samples, 'g-onchain/solana-getTransaction-relayed-usdc-2023.json')
  expect(transfersIn(JSON.parse(readFileSync(path, 'utf8')).result, usdc)).toEqual([
    {
      tx: '2S2rTZjaqzxYRw9mnqzwtyqitKtSsnE8GVqLn1KrD5R2YpXZnU4GdjppsgfSAbrzJfaqadfi8CtrqEBy588WVQ3E',
      // It comes after the instruction that opens the account, and its four inner instructions.
      position: 5,
      block: 184930610,
      atMs: 1679899845000,
      payer: '8fusVwhgo4oS1fGpZKeRaXrJXQk9auKnAgcj9A97wR3t',
      payTo: '3i476kTBBTy7pBGx4CXwJpJ6phuwLQgcwLTdHhU3c7ui',
      amount: 1000n,
      method: 'svm_exact',
      facilitator: 'FG4Y3yX4AAchp1HvNZ7LfzFTewF2f6nDoMDCohTFrdpT',
      nonce: null,
    },
  ])
})

/** Transactions on Solana that do more than pay, or less, against a till with a chain and x402's facilitator. */
import { createHash } from 'node:crypto'
import { address } from '@solana/kit'
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { tokenAccount } from '../../pipelines/domains/payments/svm/payment.ts'
import { networks } from '../../schemas/tables/networks.ts'
import { startFacilitator } from '../../services/sandbox/facilitator.ts'
import { solanaSigner } from '../../services/sandbox/keys.ts'
import { json, type Loopback, serveLoopback } from '../../services/sandbox/loopback.ts'
import type { PlayChain } from '../../services/sandbox/play-chain.ts'
import { SolanaChain } from '../../services/sandbox/solana-chain.ts'
import { answerRpc } from '../../services/sandbox/solana-rpc.ts'
import { tokenData, withTokenAmount } from '../../services/sandbox/solana-token.ts'
import { saidByFile } from '../services/sell/said.ts'
import { type Bench, receiptOf } from '../services/till/tills.ts'
import { openBothKinds } from './both-kinds.ts'

const { asset, caip2 } = networks.solana
const token = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const token2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
const associated = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
const memoProgram = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
const keyOf = (name: string) => Keypair.fromSeed(createHash('sha256').update(name).digest())
const [payer, accomplice, payee] = ['payer', 'accomplice', 'payee'].map(keyOf) as [Keypair, Keypair, Keypair]
const opening = 1_000_000n

let chain: SolanaChain
let node: Loopback
let facilitator: Loopback
let feePayer: PublicKey
let file: Awaited<ReturnType<typeof saidByFile>>

beforeAll(async () => {
  file = await saidByFile()
  chain = new SolanaChain('solana', Date.now)
  node = await serveLoopback(({ body }) => ({ body: json(answerRpc(chain, body)) }))
  facilitator = await startFacilitator([{ network: 'solana', rpcUrl: node.url } as PlayChain])
  feePayer = new PublicKey((await solanaSigner('facilitator')).address)
})
afterAll(async () => {
  await file?.end()
  await facilitator?.close()
  await node?.close()
})

const owner = (key: PublicKey) => address(key.toBase58())
beforeEach(async () => {
  for (const key of [feePayer, payer.publicKey, accomplice.publicKey]) await chain.hold(owner(key), opening)
  await chain.hold(owner(payee.publicKey), 0n)
})
/** Everything that an attack may change: the seller's dollars, and the funds of the facilitator's account. */
const books = async () => ({
  received: await chain.balance(owner(payee.publicKey)),
  feePayer: await chain.balance(owner(feePayer)),
  lamports: chain.account(owner(feePayer))?.lamports,
})

const at = (key: string | PublicKey, isSigner = false, isWritable = true) => ({
  pubkey: new PublicKey(key),
  isSigner,
  isWritable,
})
const usdcOf = (key: PublicKey) => tokenAccount(key.toBase58(), asset)

function transfer({
  from = payer.publicKey,
  source = usdcOf(from),
  to = usdcOf(payee.publicKey),
  amount = 2000n,
  programId = token,
  decimals = 6,
  more = [] as ReturnType<typeof at>[],
} = {}) {
  const data = Buffer.alloc(10)
  data[0] = 12
  data.writeBigUInt64LE(amount, 1)
  data[9] = decimals
  const keys = [at(source), at(asset, false, false), at(to), at(from, true, false), ...more]
  return new TransactionInstruction({ programId, keys, data })
}
const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 40_000 })
const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 })
let memos = 0
const memo = (text = `${++memos}`.padStart(32, '0')) =>
  new TransactionInstruction({ programId: memoProgram, keys: [], data: Buffer.from(text) })
const honest = () => [limit, price, transfer(), memo()]

interface Made {
  instructions?: TransactionInstruction[]
  signers?: Keypair[]
  tables?: AddressLookupTableAccount[]
  legacy?: boolean
  paidBy?: PublicKey
}

function paymentOf({
  instructions = honest(),
  signers = [payer],
  tables = [],
  legacy = false,
  paidBy = feePayer,
}: Made) {
  const message = new TransactionMessage({
    payerKey: paidBy,
    recentBlockhash: chain.latestBlockhash().blockhash,
    instructions,
  })
  const transaction = new VersionedTransaction(
    legacy ? message.compileToLegacyMessage() : message.compileToV0Message(tables),
  )
  transaction.sign(signers)
  return presented(Buffer.from(transaction.serialize()))
}

const presented = (transaction: Buffer) =>
  ({
    x402Version: 2,
    accepted: {
      scheme: 'exact',
      network: caip2,
      amount: '2000',
      asset,
      payTo: payee.publicKey.toBase58(),
      maxTimeoutSeconds: 60,
      extra: { feePayer: feePayer.toBase58() },
    },
    payload: { transaction: transaction.toString('base64') },
  }) as never

const opened = () =>
  openBothKinds(file, {
    config: {
      facilitators: [{ url: facilitator.url }],
      payTo: [{ name: 'solana', address: payee.publicKey.toBase58() }],
      rpcUrls: { solana: [node.url] },
    },
  })

async function buysNothing(bench: Bench, payment: never, during?: () => Promise<unknown>) {
  const before = await books()
  const bought = bench.buy(payment, {
    answer: async () => {
      await during?.()
      return '{"said":"hello"}'
    },
  })
  await expect(bought).rejects.toMatchObject({ status: 402, charged: false })
  expect(await books()).toEqual(before)
}

describe('a transaction that is not one payment buys nothing, and costs the facilitator nothing', () => {
  const others = new PublicKey(keyOf('others').publicKey)
  it.each<[string, () => Made]>([
    [
      'it sends the lamports of whoever pays the fees',
      () => ({
        instructions: [
          ...honest(),
          SystemProgram.transfer({ fromPubkey: feePayer, toPubkey: payer.publicKey, lamports: 1_000_000 }),
        ],
      }),
    ],
    [
      'it opens an account at the cost of whoever pays the fees',
      () => ({
        instructions: [
          ...honest(),
          new TransactionInstruction({
            programId: associated,
            keys: [
              at(feePayer, true),
              at(usdcOf(others)),
              at(others, false, false),
              at(asset, false, false),
              at(SystemProgram.programId, false, false),
              at(token, false, false),
            ],
            data: Buffer.from([1]),
          }),
        ],
      }),
    ],
    [
      'it offers the highest price for its place',
      () => ({
        instructions: [
          ComputeBudgetProgram.setComputeUnitLimit({ units: 1_400_000 }),
          ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 10_000_000_000n }),
          transfer(),
          memo(),
        ],
      }),
    ],
    ['it raises its price after the transfer', () => ({ instructions: [...honest(), price, limit] })],
    [
      'it names another program',
      () => ({
        instructions: [
          ...honest(),
          new TransactionInstruction({
            programId: others,
            keys: [at(feePayer, true)],
            data: Buffer.alloc(8),
          }),
        ],
      }),
    ],
    [
      'it moves the dollars of whoever pays the fees',
      () => ({
        instructions: [limit, price, transfer({ from: feePayer }), memo()],
        signers: [],
      }),
    ],
    ['it is paid for by the payer himself', () => ({ paidBy: payer.publicKey })],
    [
      'it moves another’s dollars',
      () => ({
        instructions: [limit, price, transfer({ source: usdcOf(accomplice.publicKey) }), memo()],
      }),
    ],
    [
      'it moves them back to the payer',
      () => ({
        instructions: [limit, price, transfer({ to: usdcOf(payer.publicKey) }), memo()],
      }),
    ],
    [
      'it moves them to another account of the seller',
      () => ({
        instructions: [limit, price, transfer({ to: payee.publicKey.toBase58() }), memo()],
      }),
    ],
    ['it moves one less', () => ({ instructions: [limit, price, transfer({ amount: 1999n }), memo()] })],
    [
      'it moves all that there are',
      () => ({ instructions: [limit, price, transfer({ amount: 2n ** 64n - 1n }), memo()] }),
    ],
    ['it counts other decimals', () => ({ instructions: [limit, price, transfer({ decimals: 2 }), memo()] })],
    [
      'it is signed by several for one',
      () => ({
        instructions: [limit, price, transfer({ more: [at(accomplice.publicKey, true, false)] }), memo()],
        signers: [payer, accomplice],
      }),
    ],
    [
      'it is of Token-2022',
      () => ({ instructions: [limit, price, transfer({ programId: token2022 }), memo()] }),
    ],
    ['it has no limits', () => ({ instructions: [transfer(), memo()] })],
    ['it is signed by nobody', () => ({ signers: [] })],
    [
      'it hides where the dollars go in a table',
      () => ({
        tables: [
          new AddressLookupTableAccount({
            key: others,
            state: {
              deactivationSlot: 2n ** 64n - 1n,
              lastExtendedSlot: 0,
              lastExtendedSlotStartIndex: 0,
              addresses: [new PublicKey(usdcOf(payee.publicKey)), new PublicKey(asset)],
            },
          }),
        ],
      }),
    ],
  ])('%s', async (_, made) => {
    await buysNothing(await opened(), paymentOf(made()))
  })

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['bytes follow it', bytes => Buffer.concat([bytes, Buffer.alloc(8)])],
    ['it claims a hundred signatures', bytes => Buffer.concat([Buffer.from([100]), bytes.subarray(1)])],
    ['it is cut in two', bytes => bytes.subarray(0, bytes.length / 2)],
    ['its signature has a twin', bytes => twin(bytes)],
    ['it is larger than a packet', bytes => Buffer.concat([bytes, Buffer.alloc(1300)])],
  ])('%s', async (_, change) => {
    const { payload } = paymentOf({}) as { payload: { transaction: string } }
    await buysNothing(await opened(), presented(change(Buffer.from(payload.transaction, 'base64'))))
  })
})

it('a key of small order, for which one signature fits every message, buys nothing', async () => {
  const anybody = new PublicKey(Buffer.from([1, ...Buffer.alloc(31)]))
  await chain.hold(owner(anybody), opening)
  const made = paymentOf({ instructions: [limit, price, transfer({ from: anybody }), memo()], signers: [] })
  const { payload } = made as { payload: { transaction: string } }
  const bytes = Buffer.from(payload.transaction, 'base64')
  bytes[1 + 64] = 1
  await buysNothing(await opened(), presented(bytes))
})

/** Adds the order of the curve to the second half of the payer's signature. */
function twin(bytes: Buffer): Buffer {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const changed = Buffer.from(bytes)
  const half = changed.subarray(1 + 64 + 32, 1 + 128)
  const value = BigInt(`0x${Buffer.from(half).reverse().toString('hex')}`) + order
  Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse().copy(half)
  return changed
}

it('a delegate, whom the owner lets move his dollars, buys nothing with them', async () => {
  const account = address(usdcOf(accomplice.publicKey))
  const data = Buffer.from(chain.account(account)?.data as Uint8Array)
  // An approval in the token program's form: the delegate, and the amount.
  data.writeUInt32LE(1, 72)
  payer.publicKey.toBuffer().copy(data, 76)
  data.writeBigUInt64LE(opening, 121)
  chain.lay({ address: account, data, programAddress: owner(token) })
  const source = usdcOf(accomplice.publicKey)
  const payment = paymentOf({ instructions: [limit, price, transfer({ source }), memo()] })
  const bench = await opened()
  await buysNothing(bench, payment)
  await expect(bench.buy(payment)).rejects.toThrow('the source is not the token account of the payer')
})

it('dollars that the payer keeps in another account buy nothing', async () => {
  const [other, data] = [keyOf('a second account'), tokenData(chain.mint, owner(payer.publicKey))]
  const source = other.publicKey.toBase58()
  chain.lay({
    address: owner(other.publicKey),
    data: withTokenAmount(data, opening),
    programAddress: owner(token),
  })
  await buysNothing(await opened(), paymentOf({ instructions: [limit, price, transfer({ source }), memo()] }))
})

describe('a payer who takes his word back while he is answered gets nothing', () => {
  it('by spending the dollars elsewhere', async () => {
    await buysNothing(await opened(), paymentOf({}), () => chain.hold(owner(payer.publicKey), 0n))
  })
})

it('a seller whose account is closed in between has sold nothing', async () => {
  const account = address(usdcOf(payee.publicKey))
  const data = tokenData(chain.mint, owner(payee.publicKey))
  const close = async () =>
    chain.lay({ address: account, data: new Uint8Array(), programAddress: owner(SystemProgram.programId) })
  const bench = await opened()
  const bought = bench.buy(paymentOf({}), {
    answer: async () => {
      await close()
      return '{"said":"hello"}'
    },
  })
  await expect(bought).rejects.toMatchObject({ status: 402, charged: false })
  chain.lay({ address: account, data, programAddress: owner(token) })
  expect(await chain.balance(owner(payer.publicKey))).toBe(opening)
})

describe('an unusual transaction that pays is paid, once', () => {
  it.each<[string, () => Made]>([
    ['the usual form', () => ({})],
    ['the old form', () => ({ legacy: true })],
    [
      'a memo as long as a client may write',
      () => ({ instructions: [limit, price, transfer(), memo('x'.repeat(256))] }),
    ],
    ['no memo', () => ({ instructions: [limit, price, transfer()] })],
  ])('%s', async (_, made) => {
    const bench = await opened()
    const before = await books()
    const payment = paymentOf(made())
    const sold = await bench.buy(payment)
    expect(receiptOf(sold).charged).toBe(true)
    sold.delivered(true)
    await expect(bench.buy(payment, { caller: 'a stranger' })).rejects.toMatchObject({ status: 409 })
    expect((await books()).received).toBe(before.received + 2000n)
  })
})

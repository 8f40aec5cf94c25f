/** A Solana VM with programs of mainnet, and one swap in it, estimated and executed. */
import { createHash, randomBytes } from 'node:crypto'
import { address } from '@solana/kit'
import {
  type AccountMeta,
  Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { Clock, FailedTransactionMetadata, LiteSVM } from 'litesvm'
import { Bytes } from '../../../pipelines/domains/chain/svm/bytes.ts'
import { inOrder } from '../../../pipelines/domains/chain/svm/derived-address.ts'
import type { Side, SvmPool } from '../../../pipelines/domains/chain/svm/pools/pool.ts'
import type { PoolState, Venue } from '../../../pipelines/domains/chain/svm/pools/venue.ts'
import { systemProgram, tokenProgram } from '../../../pipelines/domains/chain/svm/programs.ts'
import { decodeTransaction } from '../../../services/sandbox/solana-transaction.ts'
import { mint, tokenAccountData } from '../../pipelines/domains/chain/svm/account-writer.ts'
import { randomFrom } from '../weather-questions.ts'

export interface Vm {
  lay(program: string, at: string, data: Uint8Array): void
  data(at: string): Buffer | undefined
  read(venue: Venue, at: string): { state: PoolState; pool: SvmPool }
  /** Undefined: the program refuses the swap. Otherwise by what part the estimate is off. */
  off(swap: Swap): number | undefined
}

export interface Swap {
  venue: Venue
  pool: string
  side: Side
  amount: bigint
  /** The keys of the instruction. `user`: his accounts for the first and the second mint. */
  keys(user: readonly [string, string], signer: AccountMeta): AccountMeta[]
  input: Buffer
}

const rich = 10n ** 18n
export const nowS = Math.floor(Date.now() / 1000)

export function openVm(programs: readonly { program: string; file: string }[]): Vm {
  const svm = new LiteSVM().withBlockhashCheck(false).withSigverify(false)
  for (const { program, file } of programs) svm.addProgramFromFile(address(program) as never, file)
  svm.setClock(new Clock(1000n, BigInt(nowS), 0n, 0n, BigInt(nowS)))
  const payer = Keypair.generate()
  const owner = payer.publicKey.toBase58()

  const lay: Vm['lay'] = (program, at, data) =>
    svm.setAccount({
      address: address(at),
      programAddress: address(program),
      data,
      lamports: 10n ** 12n,
      executable: false,
      space: BigInt(data.length),
    } as never)
  const data: Vm['data'] = at => {
    const found = svm.getAccount(address(at) as never)
    return found.exists ? Buffer.from(found.data) : undefined
  }
  const read: Vm['read'] = (venue, at) => {
    const state = venue.state(at, new Bytes(data(at) as Buffer))
    const accounts = new Map(
      (state?.needs ?? []).flatMap(one => {
        const found = data(one)
        return found ? [[one, new Bytes(found)] as const] : []
      }),
    )
    const pool = state?.pool(accounts, { slot: 1000, epoch: 0n, unixSeconds: nowS })
    if (!state || !pool) throw new Error('the reader finds no pool')
    return { state, pool }
  }
  lay(systemProgram, owner, new Uint8Array())

  return {
    lay,
    data,
    read,
    off({ venue, pool: at, side, amount, keys, input }) {
      const { state, pool } = read(venue, at)
      const estimate = pool.swap(side, amount).out
      const user = state.mints.map(token => {
        const account = newKey()
        lay(tokenProgram, account, tokenAccountData(token, owner, rich))
        return account
      }) as [string, string]
      const message = new TransactionMessage({
        payerKey: payer.publicKey,
        recentBlockhash: newKey(),
        instructions: [
          new TransactionInstruction({
            programId: new PublicKey(venue.program),
            keys: keys(user, meta(owner, true, true)),
            data: input,
          }),
        ],
      })
      const transaction = new VersionedTransaction(message.compileToV0Message())
      transaction.sign([payer])
      const wire = Buffer.from(transaction.serialize()).toString('base64')
      const done = svm.sendTransaction(decodeTransaction(wire) as never)
      if (done instanceof FailedTransactionMetadata) return undefined
      const account = data(user[side === 0 ? 1 : 0]) as Buffer
      const got = account.readBigUInt64LE(64) - rich
      return got === estimate ? 0 : Math.abs(Number(estimate - got)) / Number(got)
    },
  }
}

export const newKey = (): string => new PublicKey(randomBytes(32)).toBase58()

export const meta = (key: string, isWritable = true, isSigner = false): AccountMeta => ({
  pubkey: new PublicKey(key),
  isSigner,
  isWritable,
})

export const derived = (program: string, ...seeds: (string | Uint8Array)[]): [key: string, bump: number] => {
  const bytes = seeds.map(seed => (typeof seed === 'string' ? Buffer.from(seed) : seed))
  const [key, bump] = PublicKey.findProgramAddressSync(bytes, new PublicKey(program))
  return [key.toBase58(), bump]
}

/** An instruction of the framework Anchor: a mark that its name gives, then its numbers. */
export const input = (name: string, ...numbers: [value: bigint, bytes: number][]): Buffer =>
  Buffer.concat([
    createHash('sha256').update(`global:${name}`).digest().subarray(0, 8),
    ...numbers.map(([value, bytes]) => littleEndian(value, bytes)),
  ])

export const littleEndian = (value: bigint, bytes: number): Buffer =>
  Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex').reverse()

export const random = randomFrom(15)
export const between = (low: number, high: number): number => low + random() * (high - low)
/** Even in the exponent. */
export const spread = (low: number, high: number): number => Math.exp(between(Math.log(low), Math.log(high)))
export const whole = (value: number): bigint => BigInt(Math.floor(value))
export const eitherSide = (): Side => (random() < 0.5 ? 0 : 1)

/** A price with 128 binary places. */
export const anyPrice = (): bigint => whole(spread(1e-3, 1e3) * 2 ** 64) << 64n

/** From a ten-thousandth to the double of what moves the price by 2 %. */
export function anyAmount(pool: SvmPool, side: Side): bigint {
  const depth = pool.reach(side, { over: 100n, under: 98n }).input
  return whole(Math.max(1000, Number(depth) * spread(0.0001, 2)))
}

export function aPair({ lay }: Vm): [string, string] {
  const mints = inOrder(newKey(), newKey())
  for (const one of mints) lay(tokenProgram, one, mint())
  return mints
}

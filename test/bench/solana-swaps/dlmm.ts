import { PublicKey } from '@solana/web3.js'
import { i64Le } from '../../../pipelines/domains/chain/svm/derived-address.ts'
import { dlmm } from '../../../pipelines/domains/chain/svm/pools/dlmm.ts'
import { dlmmProgram, tokenProgram } from '../../../pipelines/domains/chain/svm/programs.ts'
import { account } from '../../pipelines/domains/chain/svm/account-writer.ts'
import { layDlmm } from '../../pipelines/domains/chain/svm/pool-writer.ts'
import {
  anyAmount,
  aPair,
  between,
  derived,
  eitherSide,
  input,
  littleEndian,
  meta,
  newKey,
  nowS,
  random,
  type Swap,
  spread,
  type Vm,
  whole,
} from './vm.ts'

const binsInArray = 70

/** A pair whose volatility is of a swap up to 15 minutes ago, so that its fee is not the one of a pair at rest. */
export function aDlmm(vm: Vm): Swap {
  const mints = aPair(vm)
  const step = [1, 10, 25, 100][Math.floor(random() * 4)] as number
  const factor = Math.floor(between(1000, 20_000))
  const active = Math.floor(between(-3000, 3000) / step)
  const bins = Math.ceil(between(20, 90))
  const oracle = newKey()
  const seeds = mints.map(one => new PublicKey(one).toBytes())
  const [, bump] = derived(
    dlmmProgram,
    ...seeds,
    littleEndian(BigInt(step), 2),
    littleEndian(BigInt(factor), 2),
  )
  const indexes: number[] = []
  /** The writer of the tests leaves out what only the program asks for. */
  const lay: Vm['lay'] = (program, at, data) => {
    const bytes = Buffer.from(data)
    if (bytes.length === 904) completePair(bytes)
    if (bytes.length === 10_136) {
      indexes.push(Number(bytes.readBigInt64LE(8)))
      bytes[16] = 1
      for (let i = 0; i < binsInArray; i++) bytes[56 + i * 144 + 40] = 1
    }
    vm.lay(program, at, bytes)
  }
  const completePair = (bytes: Buffer) => {
    bytes.writeUInt16LE(30, 10)
    bytes.writeUInt16LE(600, 12)
    bytes.writeUInt16LE(5000, 14)
    bytes.writeUInt32LE(Math.floor(between(0, 40_000)), 16)
    bytes.writeUInt32LE(350_000, 20)
    bytes.writeInt32LE(-43_690, 24)
    bytes.writeInt32LE(43_690, 28)
    bytes.writeUInt32LE(Math.floor(between(0, 350_000)), 40)
    bytes.writeUInt32LE(Math.floor(between(0, 100_000)), 44)
    bytes.writeInt32LE(active + Math.floor(between(-10, 10)), 48)
    bytes.writeBigInt64LE(BigInt(nowS - Math.floor(spread(1, 900))), 56)
    bytes[72] = bump
    bytes.writeUInt16LE(step, 73)
    bytes[83] = 1
    bytes.writeUInt16LE(factor, 84)
    bytes.set(new PublicKey(oracle).toBytes(), 552)
  }
  const perBin = [whole(spread(1e4, 1e9)), whole(spread(1e4, 1e9))] as const
  const pool = layDlmm(lay, { token: mints[0], quote: mints[1], step, factor, active, bins, perBin })
  vm.lay(dlmmProgram, oracle, account(3232, { 0: { mark: 'Oracle' }, 24: { u64: 100n } }))
  const bytes = vm.data(pool) as Buffer
  for (const index of indexes) {
    const at = 584 + ((index + 512) >> 3)
    bytes[at] = (bytes[at] ?? 0) | (1 << ((index + 512) & 7))
  }
  vm.lay(dlmmProgram, pool, bytes)

  const { state, pool: read } = vm.read(dlmm, pool)
  const side = eitherSide()
  const back = side === 0 ? 1 : 0
  const amount = anyAmount(read, side)
  const here = Math.floor(active / binsInArray)
  const arrays = indexes
    .filter(index => (side === 0 ? index <= here : index >= here))
    .sort((a, b) => (side === 0 ? b - a : a - b))
    .map(index => derived(dlmmProgram, 'bin_array', new PublicKey(pool).toBytes(), i64Le(index))[0])
  const [eventAuthority] = derived(dlmmProgram, '__event_authority')
  return {
    venue: dlmm,
    pool,
    side,
    amount,
    input: input('swap', [amount, 8], [0n, 8]),
    keys: (user, signer) => [
      meta(pool),
      meta(dlmmProgram, false),
      ...[...state.vaults, user[side], user[back]].map(key => meta(key)),
      ...mints.map(key => meta(key, false)),
      meta(oracle),
      meta(dlmmProgram, false),
      signer,
      ...[tokenProgram, tokenProgram, eventAuthority, dlmmProgram].map(key => meta(key, false)),
      ...arrays.map(key => meta(key)),
    ],
  }
}

import { PublicKey } from '@solana/web3.js'
import { i32Be } from '../../../pipelines/domains/chain/svm/derived-address.ts'
import { clmm } from '../../../pipelines/domains/chain/svm/pools/clmm.ts'
import { clmmProgram, tokenProgram } from '../../../pipelines/domains/chain/svm/programs.ts'
import { account } from '../../pipelines/domains/chain/svm/account-writer.ts'
import { layClmm, layClmmConfig } from '../../pipelines/domains/chain/svm/pool-writer.ts'
import {
  anyAmount,
  anyPrice,
  aPair,
  between,
  derived,
  eitherSide,
  input,
  meta,
  newKey,
  random,
  type Swap,
  spread,
  type Vm,
  whole,
} from './vm.ts'

export function aClmm(vm: Vm): Swap {
  const mints = aPair(vm)
  const spacing = [1, 10, 60][Math.floor(random() * 3)] as number
  const span = spacing * 60
  const observation = newKey()
  const starts: number[] = []
  /** The writer of the tests leaves out what only the program asks for. */
  const lay: Vm['lay'] = (program, at, data) => {
    const bytes = Buffer.from(data)
    if (bytes.length === 1544) {
      const keys = [bytes.subarray(9, 41), ...mints.map(one => new PublicKey(one).toBytes())]
      bytes[8] = derived(clmmProgram, 'pool', ...keys)[1]
      bytes.set(new PublicKey(observation).toBytes(), 201)
      vm.lay(clmmProgram, observation, account(4483, { 0: { mark: 'ObservationState' }, 19: { key: at } }))
    }
    if (bytes.length === 10_240) starts.push(bytes.readInt32LE(40))
    vm.lay(program, at, bytes)
  }
  const config = layClmmConfig(lay, Math.floor(random() * 1000), Math.floor(between(100, 20_000)), spacing)
  const pool = layClmm(lay, {
    token: mints[0],
    quote: mints[1],
    config,
    spacing,
    priceX128: anyPrice(),
    width: Math.ceil(between(spacing, 200 * spacing)),
    liquidity: whole(spread(1e10, 1e12)),
  })
  const bytes = vm.data(pool) as Buffer
  for (const start of starts) {
    const bit = start / span + 512
    const at = 904 + (bit >> 3)
    bytes[at] = (bytes[at] ?? 0) | (1 << (bit & 7))
  }
  vm.lay(clmmProgram, pool, bytes)

  const { state, pool: read } = vm.read(clmm, pool)
  const side = eitherSide()
  const back = side === 0 ? 1 : 0
  const amount = anyAmount(read, side)
  const here = Math.floor(bytes.readInt32LE(269) / span) * span
  const onTheWay = starts
    .filter(start => (side === 0 ? start <= here : start >= here))
    .sort((a, b) => (side === 0 ? b - a : a - b))
  const arrays = onTheWay.map(
    start => derived(clmmProgram, 'tick_array', new PublicKey(pool).toBytes(), i32Be(start))[0],
  )
  return {
    venue: clmm,
    pool,
    side,
    amount,
    input: input('swap', [amount, 8], [0n, 8], [0n, 16], [1n, 1]),
    keys: (user, signer) => [
      signer,
      meta(config, false),
      ...[pool, user[side], user[back], state.vaults[side], state.vaults[back], observation].map(key =>
        meta(key),
      ),
      meta(tokenProgram, false),
      ...arrays.map(key => meta(key)),
    ],
  }
}

import { PublicKey } from '@solana/web3.js'
import { ammV4 } from '../../../pipelines/domains/chain/svm/pools/amm-v4.ts'
import { ammV4Program, tokenProgram } from '../../../pipelines/domains/chain/svm/programs.ts'
import { layAmmV4 } from '../../pipelines/domains/chain/svm/pool-writer.ts'
import {
  anyAmount,
  aPair,
  between,
  derived,
  eitherSide,
  littleEndian,
  meta,
  newKey,
  type Swap,
  spread,
  type Vm,
  whole,
} from './vm.ts'

const swapBaseIn = 9

/** A pool that trades without an order book. */
export function anAmmV4(vm: Vm): Swap {
  const mints = aPair(vm)
  const [authority, nonce] = derived(ammV4Program, 'amm authority')
  const [orders, target, market] = [newKey(), newKey(), newKey()]
  /** The writer of the tests leaves out what only the program asks for. */
  const lay: Vm['lay'] = (program, at, data) => {
    const bytes = Buffer.from(data)
    if (program === tokenProgram) bytes.set(new PublicKey(authority).toBytes(), 32)
    if (program === ammV4Program) {
      bytes.writeBigUInt64LE(BigInt(nonce), 8)
      bytes.writeBigUInt64LE(6n, 32)
      bytes.writeBigUInt64LE(6n, 40)
      bytes.writeBigUInt64LE(1_000_000n, 120)
      bytes.writeBigUInt64LE(10_000n, 152)
      bytes.writeBigUInt64LE(100n, 168)
      bytes.writeBigUInt64LE(whole(between(1, 300)), 176)
      for (const [place, key] of [
        [496, orders],
        [528, market],
        [560, market],
        [592, target],
      ] as const)
        bytes.set(new PublicKey(key).toBytes(), place)
    }
    vm.lay(program, at, bytes)
  }
  const pool = layAmmV4(lay, {
    token: mints[0],
    quote: mints[1],
    ofToken: whole(spread(1e6, 1e14)),
    ofQuote: whole(spread(1e6, 1e14)),
  })
  const { state, pool: read } = vm.read(ammV4, pool)
  const side = eitherSide()
  const back = side === 0 ? 1 : 0
  const amount = anyAmount(read, side)
  return {
    venue: ammV4,
    pool,
    side,
    amount,
    input: Buffer.concat([Buffer.from([swapBaseIn]), littleEndian(amount, 8), littleEndian(0n, 8)]),
    keys: (user, signer) => [
      meta(tokenProgram, false),
      meta(pool),
      meta(authority, false),
      ...[orders, target, ...state.vaults].map(key => meta(key)),
      ...Array.from({ length: 8 }, () => meta(market)),
      meta(user[side]),
      meta(user[back]),
      signer,
    ],
  }
}

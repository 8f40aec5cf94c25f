import { PublicKey } from '@solana/web3.js'
import { whirlpool } from '../../../pipelines/domains/chain/svm/pools/whirlpool.ts'
import {
  tokenProgram,
  whirlpoolProgram,
  whirlpoolsConfig,
} from '../../../pipelines/domains/chain/svm/programs.ts'
import {
  tickAt,
  type WhirlpoolPosition,
  whirlpoolAccounts,
} from '../../../services/sandbox/solana-whirlpool.ts'
import { squareRoot } from '../../pipelines/domains/chain/svm/pool-writer.ts'
import {
  anyAmount,
  anyPrice,
  aPair,
  between,
  derived,
  eitherSide,
  input,
  littleEndian,
  meta,
  random,
  type Swap,
  spread,
  type Vm,
  whole,
} from './vm.ts'

const priceLimits = [4_295_048_016n, 79_226_673_515_401_279_992_447_579_055n] as const

/** A pool with six positions of any width, and a swap over three arrays of ticks at most. */
export function aWhirlpool(vm: Vm): Swap {
  const mints = aPair(vm)
  const spacing = [1, 8, 64, 128][Math.floor(random() * 4)] as number
  const sqrtPrice = squareRoot(anyPrice())
  const tick = tickAt(sqrtPrice)
  const feePpm = Math.floor(between(100, 20_000))
  const positions = Array.from({ length: 6 }, (_, i) => aPosition(tick, spacing, i === 0))
  const laid = whirlpoolAccounts({ mints, spacing, feePpm, sqrtPrice, tick, positions })
  const pool = laid[0]?.address as string
  const keys = [whirlpoolsConfig, ...mints].map(one => new PublicKey(one).toBytes())
  const [, bump] = derived(whirlpoolProgram, 'whirlpool', ...keys, littleEndian(BigInt(spacing), 2))
  ;(laid[0]?.data as Uint8Array)[40] = bump
  for (const { programAddress, address, data } of laid) vm.lay(programAddress, address, data)

  const { state, pool: read } = vm.read(whirlpool, pool)
  const side = eitherSide()
  const amount = anyAmount(read, side)
  const span = spacing * 88
  const first = Math.floor((side === 0 ? tick : tick + spacing) / span) * span
  const poolBytes = new PublicKey(pool).toBytes()
  const arrays = [0, 1, 2].map(
    i => derived(whirlpoolProgram, 'tick_array', poolBytes, String(first + (side === 0 ? -i : i) * span))[0],
  )
  const [oracle] = derived(whirlpoolProgram, 'oracle', poolBytes)
  return {
    venue: whirlpool,
    pool,
    side,
    amount,
    input: input('swap', [amount, 8], [0n, 8], [priceLimits[side], 16], [1n, 1], [side === 0 ? 1n : 0n, 1]),
    keys: ([userA, userB], signer) => [
      meta(tokenProgram, false),
      signer,
      ...[pool, userA, state.vaults[0], userB, state.vaults[1], ...arrays].map(key => meta(key)),
      meta(oracle, false),
    ],
  }
}

/** One position holds the price. The others may begin beyond it. */
function aPosition(tick: number, spacing: number, holdsPrice: boolean): WhirlpoolPosition {
  const grid = (at: number) => Math.round(at / spacing) * spacing
  const off = holdsPrice ? 0 : between(-60, 60) * spacing
  const reach = () => Math.ceil(between(1, 90)) * spacing
  const middle = grid(tick) + grid(off)
  return { from: middle - reach(), to: middle + reach(), liquidity: whole(spread(1e10, 1e12)) }
}

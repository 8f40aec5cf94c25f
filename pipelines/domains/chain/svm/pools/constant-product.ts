/** Pools whose reserves keep their product: CPMM, AMM v4 and PumpSwap. */
import {
  ceilDiv,
  million,
  other,
  type Ratio,
  type Reached,
  type Side,
  type SvmPool,
  type Swapped,
  squareRoot,
} from './pool.ts'

interface Reserves {
  reserves: readonly [bigint, bigint]
  /** In millionths of the input, and of the output, for each input side. */
  fees: readonly [Fee, Fee]
}

interface Fee {
  inPpm: number
  outPpm: number
}

/** The kind of a pool, and its arithmetic. */
export function constantProduct(
  names: Pick<SvmPool, 'kind' | 'address' | 'mints'>,
  { reserves, fees }: Reserves,
): SvmPool {
  return {
    ...names,
    feePpm: fees[0].inPpm + fees[0].outPpm,
    price: { over: reserves[1], under: reserves[0] },
    swap(into, amount) {
      const { inPpm, outPpm } = fees[into]
      const net = amount - ceilDiv(amount * BigInt(inPpm), million)
      if (net <= 0n || reserves[into] === 0n) return { used: amount, out: 0n } satisfies Swapped
      const out = (net * reserves[other(into)]) / (reserves[into] + net)
      return { used: amount, out: out - ceilDiv(out * BigInt(outPpm), million) }
    },
    reach: (into, dearer) => reach(reserves, into, dearer),
  }
}

function reach(reserves: readonly [bigint, bigint], into: Side, dearer: Ratio): Reached {
  const [given, taken] = [reserves[into], reserves[other(into)]]
  if (given === 0n) return { input: 0n, out: 0n, cut: false }
  const input = squareRoot((given * given * dearer.over) / dearer.under) - given
  return { input, out: (taken * input) / (given + input), cut: false }
}

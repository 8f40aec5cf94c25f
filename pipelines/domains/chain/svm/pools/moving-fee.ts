/** A fee that grows as the price moves, and falls with time: of Whirlpool and of CLMM. */
export interface MovingFee {
  basePpm: number
  /** The speed of its growth. */
  control: number
  /** The number of ticks after which it changes. */
  size: number
  most: number
  /** The rest of the volatility of earlier swaps, and the group of ticks from which distance is counted. */
  volatility: number
  index: number
}

/** The volatility that an earlier swap left, and how long it counts, in seconds. */
interface Volatility {
  filterS: number
  decayS: number
  /** In ten-thousandths. */
  reduction: number
  /** The values of the last swap: its final volatility, the volatility at its beginning, and its group of ticks. */
  accumulated: number
  reference: number
  index: number
}

const perGroup = 10_000
const mostPpm = 100_000n
const denominator = 10_000_000_000_000n

export const groupOf = (tick: number, size: number): number => Math.floor(tick / size)

const volatilityAt = ({ volatility, index }: MovingFee, group: number): number =>
  volatility + Math.abs(index - group) * perGroup

export const isAtMost = (fee: MovingFee, group: number): boolean => volatilityAt(fee, group) >= fee.most

export function feeIn(moving: MovingFee, group: number): bigint {
  const { basePpm, control, size, most } = moving
  const moved = BigInt(Math.min(volatilityAt(moving, group), most)) * BigInt(size)
  const fee = BigInt(basePpm) + (BigInt(control) * moved * moved + denominator - 1n) / denominator
  return fee < mostPpm ? fee : mostPpm
}

/** `group`: the group of the current price. */
export function after(
  elapsedS: number,
  { filterS, decayS, reduction, accumulated, reference, index }: Volatility,
  group: number,
): Pick<MovingFee, 'volatility' | 'index'> {
  if (elapsedS < filterS) return { volatility: reference, index }
  if (elapsedS >= decayS) return { volatility: 0, index: group }
  return { volatility: Math.floor((accumulated * reduction) / 10_000), index: group }
}

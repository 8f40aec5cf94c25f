/** A fee that grows with the distance that the price has moved, and that time brings back: of Whirlpool and of CLMM. */
export interface MovingFee {
  basePpm: number
  /** How fast it grows. */
  control: number
  /** It changes after so many ticks. */
  size: number
  most: number
  /** What is left of the volatility of earlier swaps, and the group of ticks that distance is counted from. */
  volatility: number
  index: number
}

/** The volatility that an earlier swap left, and for how long it counts, in seconds. */
interface Volatility {
  filterS: number
  decayS: number
  /** In ten-thousandths. */
  reduction: number
  /** Of the last swap, the one that it began with, and its group of ticks. */
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

/** `group`: the one of the price now. */
export function after(
  elapsedS: number,
  { filterS, decayS, reduction, accumulated, reference, index }: Volatility,
  group: number,
): Pick<MovingFee, 'volatility' | 'index'> {
  if (elapsedS < filterS) return { volatility: reference, index }
  if (elapsedS >= decayS) return { volatility: 0, index: group }
  return { volatility: Math.floor((accumulated * reduction) / 10_000), index: group }
}

/**
 * What Base takes for the data of a transaction, as the specification says since the upgrade Fjord: by the size of the signed transaction
 * as FastLZ would pack it. A play chain takes none.
 */

/** In wei. The scalars are of the configuration of Base, in millionths. */
export interface BelowPrices {
  baseFee: bigint
  blobBaseFee: bigint
  baseFeeScalar: bigint
  blobBaseFeeScalar: bigint
}

const shortest = 3
const longest = 262
const reach = 8191
const literalsAtOnce = 32

/** The length of the bytes as FastLZ packs them, where the last 14 begin no match, and none reaches into the last 4. */
export function fastLzLength(bytes: Uint8Array): number {
  const places = new Map<number, number>()
  const wordAt = (at: number): number =>
    (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
  const slotOf = (word: number): number => (Math.imul(2_654_435_769, word) >>> 19) & reach
  const literals = (count: number): number => count + Math.ceil(count / literalsAtOnce)
  const note = (at: number) => places.set(slotOf(wordAt(at)), at)
  const end = bytes.length - 4
  let [length, begun] = [0, 0]
  for (let at = 2; at < bytes.length - 14; ) {
    const before = places.get(slotOf(wordAt(at))) ?? 0
    note(at)
    if (at - before > reach || wordAt(before) !== wordAt(at)) {
      at++
      continue
    }
    let same = shortest
    while (at + same < end && bytes[before + same] === bytes[at + same]) same++
    // A match that reaches the end is one shorter.
    if (at + same === end) same--
    length += literals(at - begun) + matchLength(same)
    at += same
    note(at - 2)
    note(at - 1)
    begun = at
  }
  return length + literals(bytes.length - begun)
}

function matchLength(same: number): number {
  const more = same - shortest
  return 3 * Math.floor(more / longest) + (more % longest >= 6 ? 3 : 2)
}

const [intercept, slope, least, millionth] = [-42_585_600n, 836_500n, 100_000_000n, 1_000_000n]

/** In millionths of a byte. */
const estimatedSize = (fastLz: number): bigint => {
  const size = intercept + slope * BigInt(fastLz)
  return size > least ? size : least
}

/** In wei. */
export function dataFee(fastLz: number, prices: BelowPrices): bigint {
  const { baseFee, blobBaseFee, baseFeeScalar, blobBaseFeeScalar } = prices
  const perByte = 16n * baseFeeScalar * baseFee + blobBaseFeeScalar * blobBaseFee
  return (estimatedSize(fastLz) * perByte) / (millionth * millionth)
}

import { expect, it } from 'vitest'
import { dataFee, fastLzLength } from './data-fee.ts'

// The vectors of op-geth's own tests.
it('FastLZ packs runs of bytes, and a short transaction pays for 100 bytes', () => {
  expect([0, 1].map(byte => fastLzLength(new Uint8Array(1000).fill(byte)))).toEqual([21, 21])
  expect(fastLzLength(new Uint8Array(0))).toBe(0)
  const prices = { baseFee: 10n ** 9n, blobBaseFee: 10n ** 7n, baseFeeScalar: 2n, blobBaseFeeScalar: 3n }
  expect(dataFee(31, prices)).toBe(3_203_000n)
})

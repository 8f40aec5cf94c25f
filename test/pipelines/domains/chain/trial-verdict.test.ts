/** What many small sales through a year say of a token. */
import { describe, expect, it } from 'vitest'
import { Decimal } from '../../../../pipelines/domains/chain/dollars.ts'
import { judged, type Tried } from '../../../../pipelines/domains/chain/evm/trial-verdict.ts'

const tried = (ok: boolean): Tried => ({
  dollars: new Decimal(100),
  ok,
  reason: 'no luck',
  tax: new Decimal(0),
})

const saying = (ends: readonly boolean[]) =>
  judged({
    purchases: [tried(true)],
    steps: { atOnce: tried(true), next: tried(true), later: tried(true), month: tried(true) },
    others: [],
    endured: { ends, last: tried(ends.at(-1) === true) },
  }).warnings.map(({ code }) => code)

const sales = (isGood: (nth: number) => boolean) => Array.from({ length: 120 }, (_, nth) => isGood(nth))

describe('small sales through a year', () => {
  it.each<[string, boolean[], string[]]>([
    ['one of five fails', sales(nth => nth % 5 !== 2), ['sell_limit']],
    ['one of five fails, and the first among them', sales(nth => nth % 5 !== 0), ['sell_limit']],
    ['the first comes too soon', sales(nth => nth > 0), []],
    ['no small sale is taken at all', sales(() => false), []],
    ['none is taken after the fiftieth', sales(nth => nth < 50), ['cannot_sell']],
    ['all are taken', sales(() => true), []],
  ])('%s', (_, ends, codes) => {
    expect(saying(ends)).toEqual(codes)
  })
})

/** Paid answers that nobody fetches take memory. What one buyer leaves stops his own sales alone. */
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { otherPayer, signed } from './paying.ts'
import { failure, openBench } from './tills.ts'

const large = { answer: async () => JSON.stringify({ said: randomBytes(90_000).toString('base64') }) }
const [hoarder, other] = [{ caller: 'a hoarder' }, { caller: 'somebody else' }]

it('a payer and a caller have a share of the memory for answers', async () => {
  const bench = await openBench()
  let sold = 0
  const buying = async () => {
    for (; sold < 300; sold++) (await bench.buy(await signed(), { ...large, ...hoarder })).delivered(false)
  }
  await expect(buying()).rejects.toThrow(failure('busy'))
  expect(sold).toBeGreaterThan(100)

  const byOther = () => signed({}, Date.now(), 'base', otherPayer)
  await expect(bench.buy(await signed(), other)).rejects.toThrow(failure('busy'))
  await expect(bench.buy(await byOther(), hoarder)).rejects.toThrow(failure('busy'))
  ;(await bench.buy(await byOther(), other)).delivered(true)
}, 60_000)

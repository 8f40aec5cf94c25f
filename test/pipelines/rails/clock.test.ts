import { expect, it } from 'vitest'
import { tick } from '../../../pipelines/rails/clock.ts'

it('a clock whose tick throws ends with that error, because a tick reports failures of others itself', async () => {
  const ticking = tick('0 0 1 1 *', 0, () => Promise.reject(new Error('our fault')))
  await expect(ticking.ended).rejects.toThrow('our fault')
  await ticking.close()
})

it('a clock ends after its current tick', async () => {
  let handled = false
  const ticking = tick('0 0 1 1 *', 0, async signal => {
    await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
    handled = true
    return true
  })
  await ticking.close()
  await ticking.ended
  expect(handled).toBe(true)
})

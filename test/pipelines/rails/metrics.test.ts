/** What is gathered before it is added to a histogram stands on each page. */
import { expect, it } from 'vitest'
import { metrics, metricsPage } from '../../../pipelines/rails/metrics.ts'

const counted = async () => {
  const page = await metricsPage()
  return Number(/farebox_sale_step_seconds_count\{step="promise"\} (\d+)/.exec(page)?.[1] ?? 0)
}

it('a page of metrics shows every value that was measured before it, and each of them once', async () => {
  // Other tests of this process have measured, too.
  const before = await counted()
  for (let nth = 0; nth < 300; nth++) metrics.saleStepSeconds.observe({ step: 'promise' }, 0.02)
  expect(await counted()).toBe(before + 300)
  metrics.saleStepSeconds.observe({ step: 'promise' }, 0.02)
  expect(await counted()).toBe(before + 301)
  expect(await counted()).toBe(before + 301)
})

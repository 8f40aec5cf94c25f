/** What is gathered before it is added to a histogram stands on each page. */
import { expect, it } from 'vitest'
import { metrics, metricsPage } from '../../../pipelines/rails/metrics.ts'

const counted = async () => {
  const page = await metricsPage()
  return /farebox_sale_step_seconds_count\{step="promise"\} (\d+)/.exec(page)?.[1]
}

it('a page of metrics shows every value that was measured before it, and each of them once', async () => {
  for (let nth = 0; nth < 300; nth++) metrics.saleStepSeconds.observe({ step: 'promise' }, 0.02)
  expect(await counted()).toBe('300')
  metrics.saleStepSeconds.observe({ step: 'promise' }, 0.02)
  expect(await counted()).toBe('301')
  expect(await counted()).toBe('301')
})

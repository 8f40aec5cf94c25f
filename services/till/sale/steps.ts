/** Where sales wait, and for how long. */
import { metrics, pages } from '../../../pipelines/rails/metrics.ts'

/**
 * turn: for another call with the same payment, or of the same caller while his payers have paid nothing yet; connection: for one to the facilitator; promise: for the log; outcome: of a settlement
 * that nobody has told yet.
 */
type SaleStep = 'turn' | 'verify' | 'answer' | 'connection' | 'promise' | 'settle' | 'outcome'

/** By network and step. Only a page of metrics needs them in the registry, which would take longer for each sale. */
const waiting = new Map<string, Map<SaleStep, number>>()

pages.add({
  before() {
    for (const [network, steps] of waiting)
      for (const [step, sales] of steps) metrics.salesInFlight.set({ network, step }, sales)
  },
  after() {},
})

/** Does the work, and counts the sale at this step meanwhile. */
export async function at<T>(step: SaleStep, network: string, work: () => Promise<T>): Promise<T> {
  const steps = waiting.get(network) ?? new Map<SaleStep, number>()
  waiting.set(network, steps)
  steps.set(step, (steps.get(step) ?? 0) + 1)
  const startedAt = performance.now()
  try {
    return await work()
  } finally {
    steps.set(step, (steps.get(step) ?? 1) - 1)
    metrics.saleStepSeconds.observe({ step }, (performance.now() - startedAt) / 1000)
  }
}

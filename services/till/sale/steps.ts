/** Where sales wait, and for how long. */
import { metrics, pages } from '../../../pipelines/rails/metrics.ts'

/**
 * turn: for another call with the same payment, or of the same caller while his payers have paid nothing yet; connection: for one to the facilitator; promise: for the log; outcome: of a settlement
 * that nobody has told yet.
 */
type SaleStep = 'turn' | 'verify' | 'answer' | 'connection' | 'promise' | 'settle' | 'outcome'

const none = { turn: 0, verify: 0, answer: 0, connection: 0, promise: 0, settle: 0, outcome: 0 }
/** The sales at each step, by network. Only a page of metrics needs them in the registry, which would take longer for each sale. */
const waiting = new Map<string, Record<SaleStep, number>>()

pages.add({
  before() {
    for (const [network, steps] of waiting)
      for (const [step, sales] of Object.entries(steps)) metrics.salesInFlight.set({ network, step }, sales)
  },
  after() {},
})

/** Does the work, and counts the sale at this step while it waits. Work that ends at once has not waited. */
export function at<T>(step: SaleStep, network: string, work: () => Promise<T>): Promise<T>
export function at<T>(step: SaleStep, network: string, work: () => Promise<T> | T): Promise<T> | T
export function at<T>(step: SaleStep, network: string, work: () => Promise<T> | T): Promise<T> | T {
  const startedAt = performance.now()
  const done = work()
  return done instanceof Promise ? waited(step, network, done, startedAt) : done
}

async function waited<T>(step: SaleStep, network: string, done: Promise<T>, startedAt: number): Promise<T> {
  const sales = waiting.get(network) ?? { ...none }
  waiting.set(network, sales)
  sales[step]++
  try {
    return await done
  } finally {
    sales[step]--
    metrics.saleStepSeconds.observe({ step }, (performance.now() - startedAt) / 1000)
  }
}

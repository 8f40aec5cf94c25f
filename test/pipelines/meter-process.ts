/** A process with a log and a meter, which tests kill. It sells, shows a page, sells again, and waits for its end. */
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { metrics, metricsPage } from '../../pipelines/rails/metrics.ts'
import { startMeter } from '../../pipelines/workers/meter.ts'
import { salesCounted } from '../../schemas/sales-counted.ts'
import { settlements } from '../../schemas/settlements.ts'
import { entryOf, settlement } from '../schemas/settlement.ts'
import { until } from '../until.ts'

const [folder = '', round = ''] = process.argv.slice(2)
const log = await openLog(`sqlite:${folder}/log.db`, { topics: [settlements.topic, salesCounted.topic] })
const sell = async (when: string, count: number) => {
  for (let n = 0; n < count; n++)
    await log.append(settlements.topic, [entryOf(settlement(`${round} ${when} ${n}`))])
}
const shown = async () => {
  await metricsPage()
  const { values } = await metrics.settlements.get()
  return values.find(({ labels }) => labels.network === 'base' && labels.state === 'settled')?.value ?? 0
}

await startMeter({
  log,
  sold: [{ origin: 'data', operation: 'exchangeRate' }],
  networks: [{ name: 'base' }],
  onFailed: (_, error) => console.error(error),
})
const zeros = await shown()
let last = zeros
await until(async () => {
  const before = last
  last = await shown()
  return last === before && (last > 0 || round === '1')
}, 'the late sales')
await sell('with a page', 20)
const enough = last + 20
await until(async () => {
  last = await shown()
  return last === enough
}, 'its own sales')
// Appends of one log are durable in order, so the place of the page is durable too.
await sell('after the last page', 30)
console.log(JSON.stringify({ zeros, last }))
await new Promise(() => {})

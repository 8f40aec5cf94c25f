/** The worker that pays refunds, in a process that a test kills. Its store knows one sale. */
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { logVariables } from '../../../../pipelines/rails/log/variables.ts'
import { startRefunds } from '../../../../pipelines/workers/refunds/worker.ts'
import { refunds } from '../../../../schemas/refunds.ts'
import { settlements } from '../../../../schemas/settlements.ts'

const { file, row, keys, former } = JSON.parse(process.argv[2] ?? '')
const log = await openLog(`sqlite:${file}`, { topics: [refunds.topic, settlements.topic] })
const config = { keys, former, mostGwei: 100, aDay: 10_000_000n, rules: [] }
await log.watch(refunds.topic, batch => {
  for (const { value } of batch) console.log(JSON.parse(value ?? '').step)
})
await startRefunds({
  log,
  store: async () => ({ query: async () => [row] }) as never,
  read: ((variables: unknown) => (variables === logVariables ? `sqlite:${file}` : config)) as never,
  now: Date.now,
  onFailed: (_, error) => console.error((error as Error).message),
})

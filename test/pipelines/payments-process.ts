/** A process that reads Base into a log, which tests kill. It reports every page that it has saved. */
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { openReader } from '../../pipelines/sources/payments/readers.ts'
import { paymentsBy } from '../../pipelines/sources/payments.ts'
import { startSources } from '../../pipelines/sources/runner.ts'
import { paymentTopics } from './payment-topics.ts'
import { outside, sellersNamed } from './sources/payments/play-sales.ts'

const [folder = '', rpcUrl = '', seller = ''] = process.argv.slice(2)
const log = await openLog(`sqlite:${folder}/log.db`, { topics: paymentTopics })
const always = '1970-01-01T00:00:00.001Z'
const sellers = sellersNamed({ until: always, wallets: new Map([[seller, always]]) })

const payments = paymentsBy(openReader('base', [rpcUrl]), sellers)
const telling = {
  ...payments,
  async *pull(...given: Parameters<typeof payments.pull>) {
    for await (const page of payments.pull(...given)) {
      yield page
      console.log('kept')
    }
    console.log('done')
  },
}
await startSources([telling], { needs: {}, log, outside: () => outside(), now: Date.now, jitterMs: 0 })

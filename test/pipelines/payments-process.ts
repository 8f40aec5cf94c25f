/** A process that reads Base into a log, for tests that kill it; it says so after every page that is kept. */
import { openBaseReader } from '../../pipelines/chain/base-reader.ts'
import { openLog } from '../../pipelines/log/open.ts'
import { paymentsBase } from '../../pipelines/sources/payments-base.ts'
import { startSources } from '../../pipelines/sources/runner.ts'
import type { Source } from '../../pipelines/sources/source.ts'
import { paymentTopics } from './payment-topics.ts'
import { outsideOf, sellersNamed } from './sources/play-sales.ts'

const [folder = '', rpcUrl = '', seller = ''] = process.argv.slice(2)
const log = await openLog(`sqlite:${folder}/log.db`, { topics: paymentTopics })
const base = openBaseReader({ network: 'base', rpcUrls: [rpcUrl], perSecond: 1000 })
const always = '1970-01-01T00:00:00.001Z'
const sellers = sellersNamed({ until: always, wallets: new Map([[seller, always]]) })

const telling = {
  ...paymentsBase,
  async *pull(...given: Parameters<typeof paymentsBase.pull>) {
    for await (const page of paymentsBase.pull(...given)) {
      yield page
      console.log('kept')
    }
    console.log('done')
  },
}
await startSources([telling as unknown as Source], {
  log,
  outside: () => outsideOf({ base, sellers }),
  now: Date.now,
  jitterMs: 0,
})

/** The ingest role brings the facts of the world into the log. */
import { startMarket } from '../../pipelines/market/weekly.ts'
import { modelSummaries } from '../../pipelines/sec/events/model.ts'
import { sources } from '../../pipelines/sources/index.ts'
import { startSources } from '../../pipelines/sources/runner.ts'
import { startRequestQueue } from '../../pipelines/sources/sec/queue.ts'
import { secRequests } from '../../schemas/sec-requests.ts'
import type { Config } from '../config.ts'
import { openPayments } from './payments.ts'
import type { Process } from './process.ts'
import { storeAtHand } from './store.ts'

export async function openIngest({
  config,
  lifecycle,
  log,
  outside,
  now,
  warn,
  parts,
  bulk,
  tell,
}: Process): Promise<void> {
  const summarise = summariserOf(config)
  await lifecycle.run('request queue', () =>
    startRequestQueue({ log, outside, now, summarise, onFailed: warn('request') }),
  )
  parts.groups.push({ topic: secRequests.topic, group: 'sec_requests' })
  const payments = await lifecycle.run('payments', () => openPayments(config, log))
  await lifecycle.run('sources', () =>
    startSources([...sources.filter(source => bulk || !source.bulk), ...payments.sources], {
      needs: { dataDir: config.DATA_DIR, tell, summarise },
      log,
      outside,
      now,
      onFailed: warn('source'),
    }),
  )
  const store = await storeAtHand({ config, lifecycle, warn, parts })
  await lifecycle.run('market', () =>
    startMarket({
      log,
      store,
      now,
      onFailed: error => warn('market')('build', error),
      onHeldBack: reasons => warn('market')('build', new Error(`held back: ${reasons.join('; ')}`)),
    }),
  )
}

const summariserOf = ({ SUMMARY_URL: url, SUMMARY_MODEL: model, SUMMARY_TOKEN: token }: Config) =>
  url && model ? modelSummaries({ url, model, token }) : undefined

/** The ingest role brings the facts of the world into the log. */
import { startMarket } from '../../pipelines/market/weekly.ts'
import { sources } from '../../pipelines/sources/index.ts'
import { startSources } from '../../pipelines/sources/runner.ts'
import { startRequestQueue } from '../../pipelines/sources/sec/queue.ts'
import { secRequests } from '../../schemas/sec-requests.ts'
import { openChains } from './chains.ts'
import type { Process } from './process.ts'
import { storeAtHand } from './store.ts'

const stop = (opened: { stop(): Promise<void> }) => opened.stop()
const close = (opened: { close(): Promise<void> }) => opened.close()

export async function openIngest({
  config,
  lifecycle,
  log,
  outside,
  now,
  warn,
  guard,
  parts,
  bulk,
}: Process): Promise<void> {
  await lifecycle.open(
    'request queue',
    async () => guard(await startRequestQueue({ log, outside, now, onFailed: warn('request') })),
    close,
  )
  parts.groups.push({ topic: secRequests.topic, group: 'sec_requests' })
  const chains = guard(await lifecycle.open('chains', () => openChains(config, log), close))
  await lifecycle.open(
    'sources',
    () =>
      startSources(
        sources.filter(source => bulk || !source.bulk),
        { log, outside: signal => ({ ...outside(signal), chains }), now, onFailed: warn('source') },
      ),
    stop,
  )
  const store = await storeAtHand({ config, lifecycle, warn, parts })
  await lifecycle.open(
    'market',
    () =>
      startMarket({
        log,
        store,
        now,
        onFailed: error => warn('market')('build', error),
        onHeldBack: reasons => warn('market')('build', new Error(`held back: ${reasons.join('; ')}`)),
      }),
    stop,
  )
}

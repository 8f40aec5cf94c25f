/** The query role sells. */
import { lookups } from '../../pipelines/lookups/index.ts'
import { startLookups } from '../../pipelines/lookups/runner.ts'
import { datasets } from '../../schemas/index.ts'
import type { Config, SaleConfig } from '../config.ts'
import { operations } from '../origins/index.ts'
import { Callers } from '../query/callers.ts'
import { LookedUp } from '../query/looked-up.ts'
import type { Counter } from '../query/paywall.ts'
import { openAsking } from '../query/requests.ts'
import { Shelf } from '../query/shelf.ts'
import { openTill } from '../till/open.ts'
import type { Process } from './process.ts'
import { storeAtHand } from './store.ts'

const stop = (opened: { stop(): Promise<void> }) => opened.stop()
const close = (opened: { close(): Promise<void> }) => opened.close()

export async function openQuery(process: Process, { facilitatorUrl, payTo }: SaleConfig): Promise<Counter> {
  const { config, lifecycle, log, outside, now, samples, warn, guard, parts } = process
  const shelf = new Shelf(now)
  await lifecycle.open(
    'shelf',
    () => shelf.stock(log, datasets),
    () => shelf.close(),
  )
  const lookedUp = new LookedUp({ store: await storeAtHand(process), log, now })
  await lifecycle.open(
    'looked-up views',
    () => lookedUp.follow(datasets),
    () => lookedUp.close(),
  )
  guard(lookedUp)
  const asking = await lifecycle.open('requests', () => openAsking(log, lookedUp, now), close)
  guard(asking)
  const finder = await lifecycle.open(
    'lookups',
    () =>
      startLookups(lookups, {
        outside: signal => ({ ...outside(signal), ask: asking.ask }),
        now,
        log,
        onFailed: warn('lookup'),
      }),
    stop,
  )
  const till = await lifecycle.open(
    'till',
    () =>
      openTill({
        products: operations,
        log,
        now,
        config: {
          facilitatorUrl,
          facilitatorToken: config.FACILITATOR_TOKEN,
          payTo,
          publicUrl: config.PUBLIC_URL,
          baseRpcUrls: config.BASE_RPC_URL,
          solanaRpcUrls: config.SOLANA_RPC_URL,
          cdpKey: cdpKeyOf(config),
        },
        // One process owns an SQLite log, so it is the same instance at every start and takes its leases up again.
        ...(config.LOG_URL.startsWith('sqlite:') && { instance: 'sqlite' }),
        onError: error => warn('till')('till', error),
      }),
    close,
  )
  Object.assign(parts, { shelf: guard(shelf), finder: guard(finder), till: guard(till) })
  return {
    till,
    callers: new Callers(config.RATE_LIMIT, now),
    tools: {
      now,
      view: (view, asked) => shelf.view(view, asked),
      look: (view, ...key) => lookedUp.first(view, ...key),
      lookAll: (view, ...key) => lookedUp.all(view, ...key),
      find: (lookup, key) => finder.find(lookup, key),
      ownHost: new URL(config.PUBLIC_URL).hostname.replace(/^www\./, ''),
      credit: (upstream, text) => (samples.has(upstream) ? `${text} (bundled sample, not live)` : text),
    },
  }
}

const cdpKeyOf = ({ CDP_API_KEY_ID: id, CDP_API_KEY_SECRET: secret }: Config) =>
  id && secret ? { id, secret } : undefined

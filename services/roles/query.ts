/** The query role sells. */
import { openAttesting } from '../../pipelines/domains/attestation/attesting.ts'
import { openChains } from '../../pipelines/domains/chain/open.ts'
import { openReading, type Reading } from '../../pipelines/domains/document/reading.ts'
import { languageModel, type NamedModel } from '../../pipelines/domains/document/summary/model.ts'
import { openProductReader } from '../../pipelines/domains/product/reader.ts'
import { openDesk } from '../../pipelines/domains/watch/desk.ts'
import { lookups } from '../../pipelines/lookups/index.ts'
import { startLookups } from '../../pipelines/lookups/runner.ts'
import { openPages, type Pages } from '../../pipelines/rails/outside/pages/open.ts'
import { datasets } from '../../schemas/index.ts'
import { isRequests } from '../../schemas/requests.ts'
import { networkNames, networks } from '../../schemas/tables/networks.ts'
import { type Config, type SaleConfig, sold } from '../config/config.ts'
import { Callers } from '../query/callers.ts'
import { LookedUp } from '../query/looked-up.ts'
import type { Selling } from '../query/mcp/call.ts'
import { recordFree } from '../query/mcp/trial-receipt.ts'
import { Trials } from '../query/mcp/trials.ts'
import { openRequests } from '../query/requests.ts'
import { Shelf } from '../query/shelf.ts'
import { Signer } from '../query/signing/signer.ts'
import { openTill } from '../till/open.ts'
import type { Process } from './process.ts'

export async function openQuery(process: Process, { facilitatorUrl, payTo }: SaleConfig): Promise<Selling> {
  const { config, lifecycle, log, store, outside, visits, now, samples, warn, parts } = process
  const { attest, watch } = process
  const shelf = await lifecycle.run('shelf', () => Shelf.open(log, datasets, now))
  const lookedUp = await lifecycle.run('looked-up views', () => LookedUp.open({ store, log, now }, datasets))
  const requesting = await lifecycle.run('requests', () =>
    openRequests(datasets.filter(isRequests), { log, lookedUp, now }),
  )
  const blobs = await process.blobs()
  const reading = await lifecycle.open('reading', openReading, opened => opened.close())
  const pages = await pagesOf(process, reading)
  const products = await lifecycle.open('product pages', openProductReader, opened => opened.close())
  const finder = await lifecycle.run('lookups', () =>
    startLookups(lookups, {
      needs: {
        dataDir: config.DATA_DIR,
        ipDatabase: config.IP_DATABASE,
        ipExtras: config.IP_EXTRAS,
        ask: requesting.ask,
        visits,
        pages: pages.find,
        pageAtHand: pages.atHand,
        chains: openChains(config.chainNodes, now, {
          log,
          onFailed: error => warn('price')('token_prices', error),
        }),
        reading,
        model: modelOf(config),
        search: config.SEARCH_API && { api: config.SEARCH_API, token: config.SEARCH_TOKEN },
        products,
      },
      outside,
      now,
      log,
      onFailed: warn('lookup'),
    }),
  )
  const till = await lifecycle.run('till', () =>
    openTill({
      origins: sold(config),
      log,
      blobs,
      now,
      config: {
        facilitatorUrl,
        facilitatorToken: config.FACILITATOR_TOKEN,
        payTo,
        rpcUrls: Object.fromEntries(networkNames.map(name => [name, config[networks[name].rpc]])),
        cdpKey: cdpKeyOf(config),
      },
      onError: error => warn('till')('till', error),
    }),
  )
  const trials = await lifecycle.run('free calls', () =>
    Trials.open({ log, now, mostADay: config.FREE_CALLS_A_DAY }),
  )
  const keys = attest?.keys
  const attesting =
    keys &&
    (await lifecycle.run('attestations', () => openAttesting(keys, { log, now, onFailed: warn('attest') })))
  Object.assign(parts, { shelf, finder, till })
  const nodes = new Map(config.NETWORKS.map(name => [networks[name].caip2, config[networks[name].rpc]]))
  const watching = watch && openDesk({ log, visits, watch, nodes, now })
  return {
    till,
    signer: signerOf(config.SIGNER_KEY, now),
    trials,
    record: recordFree(log, now),
    callers: Callers.open(config.RATE_LIMIT, now),
    tools: {
      now,
      view: (view, asked) => shelf.view(view, asked),
      look: (view, ...key) => lookedUp.first(view, ...key),
      lookAll: (view, ...key) => lookedUp.all(view, ...key),
      find: (lookup, key, mayAsk) => finder.find(lookup, key, mayAsk),
      ownHosts: new Set(config.origins.map(({ url }) => new URL(url).hostname.replace(/^www\./, ''))),
      credit: ({ variable, credit }, text = credit) =>
        samples.has(variable) ? `${text} (bundled sample, not live)` : text,
      isSample: ({ variable }) => samples.has(variable),
      attesting,
      watching,
    },
  }
}

const signerOf = ([first, ...former]: readonly string[] = [], now: () => number): Signer | undefined =>
  first === undefined ? undefined : new Signer([first, ...former], now)

/** A caller waits for it, so a slow model gives way to the rules. */
const modelOf = ({
  SUMMARY_URL: url,
  SUMMARY_MODEL: model,
  SUMMARY_TOKEN: token,
}: Config): NamedModel | undefined =>
  url && model
    ? { name: model, summarise: languageModel({ url, model, token, timeoutMs: 12_000 }) }
    : undefined

const cdpKeyOf = ({ CDP_API_KEY_ID: id, CDP_API_KEY_SECRET: secret }: Config) =>
  id && secret ? { id, secret } : undefined

async function pagesOf(
  { lifecycle, log, pages, visits, now, warn }: Process,
  reading: Reading,
): Promise<Pages> {
  const blobs = await pages()
  const onFailed = (error: unknown) => warn('pages')('pages', error)
  return lifecycle.run('pages', () => openPages({ log, blobs, visits, reading, now, onFailed }))
}

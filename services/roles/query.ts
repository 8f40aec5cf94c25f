/** The query role sells. */
import { purchasesOf } from '../../pipelines/domains/books/purchases.ts'
import { lookups } from '../../pipelines/lookups/index.ts'
import { type Finder, startLookups } from '../../pipelines/lookups/runner.ts'
import { NotReady } from '../../pipelines/rails/failures.ts'
import { type Given, given, Opened } from '../../pipelines/rails/process.ts'
import { telling } from '../../pipelines/rails/telling.ts'
import { doorCounts } from '../../schemas/door-counts.ts'
import { datasets } from '../../schemas/index.ts'
import { isRequests } from '../../schemas/requests.ts'
import { networkNames, networks } from '../../schemas/tables/networks.ts'
import { type SaleConfig, sold } from '../config/config.ts'
import type { Tools } from '../offer/operation.ts'
import type { Tariff } from '../offer/tariff.ts'
import { Callers } from '../query/callers.ts'
import { Door } from '../query/door/door.ts'
import { LookedUp } from '../query/looked-up.ts'
import type { Selling } from '../query/mcp/call.ts'
import { recordFree } from '../query/mcp/trial-receipt.ts'
import { Trials } from '../query/mcp/trials.ts'
import { Challenges } from '../query/mpp/challenges.ts'
import { openRequests } from '../query/requests.ts'
import { Shelf } from '../query/shelf.ts'
import { recordCorrected } from '../query/signing/corrected.ts'
import { SignIns } from '../query/signing/sign-in.ts'
import { Signer } from '../query/signing/signer.ts'
import type { Statements } from '../query/signing/statement.ts'
import { openTill } from '../till/open-till.ts'
import type { Till } from '../till/till.ts'
import type { RoleProcess } from './process.ts'

const megabyte = 1 << 20

export async function openQuery(
  process: RoleProcess,
  sale: SaleConfig,
  prices: Tariff | undefined,
): Promise<Selling> {
  const { config, lifecycle, log, now, parts } = process
  const read = await openViews(process)
  const till = await openOwnTill(process, sale, prices)
  const trials = await lifecycle.run('free calls', () =>
    Trials.open({ log, now, mostADay: config.FREE_CALLS_A_DAY }),
  )
  Object.assign(parts, { shelf: read.shelf, finder: read.finder, till })
  return {
    till,
    signer: signerOf(config.SIGNER_KEY, now),
    challenges: config.SIGNER_KEY && new Challenges(config.SIGNER_KEY, now),
    trials,
    record: recordFree(log, now),
    corrected: recordCorrected(log, now),
    statements: statementsOf(process),
    callers: Callers.open(config.RATE_LIMIT, now),
    door: await openDoor(process),
    tools: toolsOf(process, read, await openParts(process)),
  }
}

/** A payer asks for a statement now and then, so the store is asked when he does. */
const statementsOf = ({ config, store, now, warn }: RoleProcess): Statements => ({
  signIns: new SignIns({
    now,
    nodesOf: name => config[networks[name].rpc],
    onError: error => warn('statements')('sign-in', error),
  }),
  purchases: async wanted => {
    const opened = await store().catch(() => {
      throw new NotReady('The database does not answer')
    })
    return purchasesOf((sql, params) => opened.query(sql, params), wanted)
  },
})

async function openDoor({ config, lifecycle, log, now, warn }: RoleProcess): Promise<Door> {
  const door = new Door(now, { tellsShapes: config.DOOR_SHAPES })
  const onFailed = (error: unknown) => warn('door')('counts', error)
  await lifecycle.run('door', () => telling(doorCounts, door, { log, now, onFailed }))
  return door
}

interface Read {
  shelf: Shelf
  lookedUp: LookedUp
  finder: Finder
}

/** The sources of answers: views in memory, views in the store, and lookups. */
async function openViews(process: RoleProcess): Promise<Read> {
  const { lifecycle, log, store, outside, now, warn } = process
  const shelf = await lifecycle.run('shelf', () => Shelf.open(log, datasets, now))
  const lookedUp = await lifecycle.run('looked-up views', () => LookedUp.open({ store, log, now }, datasets))
  const { ask } = await lifecycle.run('requests', () =>
    openRequests(datasets.filter(isRequests), { log, lookedUp, now }),
  )
  const needsOf = (lookup: (typeof lookups)[number]) => lookup.needs?.({ ...process, ask }) ?? {}
  const all = [...lookups, ...sold(process.config).flatMap(origin => origin.lookups ?? [])]
  const finder = await lifecycle.run('lookups', () =>
    startLookups(all, { needsOf, outside, now, log, onFailed: warn('lookup') }),
  )
  return { shelf, lookedUp, finder }
}

async function openOwnTill(
  process: RoleProcess,
  { facilitators, payTo }: SaleConfig,
  prices: Tariff | undefined,
): Promise<Till> {
  const { config, lifecycle, log, now, warn } = process
  const blobs = await process.blobs()
  return lifecycle.run('till', () =>
    openTill({
      origins: sold(config),
      prices,
      log,
      blobs,
      now,
      config: {
        facilitators,
        payTo,
        rpcUrls: Object.fromEntries(networkNames.map(name => [name, config[networks[name].rpc]])),
      },
      ...(config.SALES_MB && { limits: { salesBytes: config.SALES_MB * megabyte } }),
      onError: error => warn('till')('till', error),
    }),
  )
}

/** Opens the parts that the origins' operations use. */
async function openParts(process: RoleProcess): Promise<Opened> {
  const opened: Given[] = []
  for (const part of process.config.origins.flatMap(({ parts = [] }) => parts))
    opened.push(given(part, await process.use(part)))
  return new Opened(opened)
}

function toolsOf(
  { now, config, samples }: RoleProcess,
  { shelf, lookedUp, finder }: Read,
  opened: Opened,
): Tools {
  return {
    now,
    view: (view, asked) => shelf.view(view, asked),
    look: (view, ...key) => lookedUp.first(view, ...key),
    lookAll: (view, ...key) => lookedUp.all(view, ...key),
    find: (lookup, key, mayAsk) => finder.find(lookup, key, mayAsk),
    ownHosts: new Set(config.origins.map(({ url }) => new URL(url).hostname.replace(/^www\./, ''))),
    credit: ({ variable, credit }, text = credit) =>
      samples.has(variable) ? `${text} (bundled sample, not live)` : text,
    isSample: ({ variable }) => samples.has(variable),
    use: part => opened.of(part),
    watched: new Map(
      sold(config).flatMap(({ operations }) =>
        operations.filter(({ watched }) => watched).map(operation => [operation.path, operation]),
      ),
    ),
  }
}

const signerOf = ([first, ...former]: readonly string[] = [], now: () => number): Signer | undefined =>
  first === undefined ? undefined : new Signer([first, ...former], now)

/** Reads from the log the wallets in the catalog, and the first snapshot of each. The chains are read for these wallets. */
import { z } from 'zod'
import { marketResources } from '../../../schemas/market-resources.ts'
import { marketSnapshots } from '../../../schemas/market-snapshots.ts'
import { plainAddress } from '../../../schemas/tables/stablecoins.ts'
import { instant } from '../../../schemas/values/values.ts'
import type { Log } from '../../rails/log/log.ts'
import { type Running, together } from '../../rails/running.ts'

export interface SellerWallets {
  /** The wallets on this network (CAIP-2) that were in the catalog within the last weeks. */
  named(network: string): Promise<NamedWallets>
}

export interface NamedWallets {
  /** The latest complete snapshot. These are the wallets up to this snapshot. */
  until: string
  /** Each wallet with the snapshot that named it first. */
  wallets: ReadonlyMap<string, string>
}

/** Earlier than any snapshot. Our own wallets count as named from the beginning. */
export const beforeAll = instant(0)
const always = instant(1)

/** A seller may still be paid after it has left the catalog. */
const rememberedMs = 8 * 7 * 86_400_000

interface OwnWallet {
  network: string
  address: string
}

/** The part of the catalog's cursor that this reader needs. A check of the whole would take seconds at each start. */
const pass = z.object({ snapshot: z.string() })
const listing = pass.extend({
  accepts: z.array(z.object({ network: z.string(), pay_to: z.string().nullish() })),
})

/** Undefined if the text is not such an event. Its sink rejects it. */
function partOf<T>(type: z.ZodType<T>, value: string | null): T | undefined {
  try {
    return type.safeParse(JSON.parse(value ?? 'null')).data
  } catch {
    return undefined
  }
}

export async function followSellers(
  log: Log,
  own: () => readonly OwnWallet[],
): Promise<SellerWallets & Running> {
  const seen = new Map<string, Map<string, { first: string; last: string }>>()
  const complete = { until: always }
  const see = (network: string, address: string, snapshot: string) => {
    const ofNetwork = seen.get(network) ?? new Map()
    seen.set(network, ofNetwork)
    const known = ofNetwork.get(address) ?? { first: snapshot, last: snapshot }
    const first = known.first < snapshot ? known.first : snapshot
    ofNetwork.set(address, { first, last: known.last > snapshot ? known.last : snapshot })
  }
  const resources = await log.watch(marketResources.topic, batch => {
    for (const { value } of batch) {
      const event = partOf(listing, value)
      for (const { network, pay_to } of event?.accepts ?? [])
        if (event && pay_to) see(network, pay_to, event.snapshot)
    }
  })
  const snapshots = await log.watch(marketSnapshots.topic, batch => {
    for (const { value } of batch) {
      const event = partOf(pass, value)
      if (event && event.snapshot > complete.until) complete.until = event.snapshot
    }
  })
  return {
    async named(network) {
      await snapshots.caughtUp
      const { until } = complete
      // A snapshot is written after its rows, but in another topic. So the rows may still be missing here.
      await resources.reached(await log.end(marketResources.topic))
      const oldest = instant(Math.max(0, Date.parse(until) - rememberedMs))
      const wallets = new Map(
        own()
          .filter(mine => mine.network === network)
          .map(({ address }) => [plainAddress(address), always]),
      )
      for (const [address, { first, last }] of seen.get(network) ?? [])
        if (last >= oldest && first <= until && !wallets.has(address)) wallets.set(address, first)
      return { until, wallets }
    },
    ...together([resources, snapshots]),
  }
}

/** The name of a new block of each chain whose payments must name one. A payer who has no node finds it in the quote. */
import type { Schemes } from './schemes/scheme.ts'

const everyMs = 10_000
/** A chain takes a payment for about a minute after its block, and the payer needs a part of that. */
const longestMs = 25_000

export interface RecentBlocks {
  /** Undefined for a chain that has none, or whose node does not tell. */
  of(caip2: string): string | undefined
  stop(): void
}

interface RecentBlocksOptions {
  networks: readonly string[]
  schemes: Schemes
  /** Milliseconds by a clock that nobody can set. */
  uptime: () => number
}

/** Asks the nodes now, and then every few seconds. No call waits for it. */
export function openRecentBlocks({ networks, schemes, uptime }: RecentBlocksOptions): RecentBlocks {
  const known = new Map<string, { hash: string; at: number }>()
  const asking = new Set<string>()

  async function ask(network: string): Promise<void> {
    const scheme = schemes.get(network)
    if (!scheme?.recentBlockhash || asking.has(network)) return
    asking.add(network)
    const at = uptime()
    try {
      known.set(network, { hash: await scheme.recentBlockhash(), at })
    } catch {
      // The node fails. A payer with a node of his own needs nothing of ours.
    } finally {
      asking.delete(network)
    }
  }

  const askAll = () => void Promise.all(networks.map(ask))
  askAll()
  const asker = setInterval(askAll, everyMs).unref()
  return {
    of(network) {
      const last = known.get(network)
      return last && uptime() - last.at < longestMs ? last.hash : undefined
    },
    stop: () => clearInterval(asker),
  }
}

/**
 * Asks a second node what the first has said, at the same block and in one call more, so that one node that lies or errs sells
 * no wrong number. A second node that cannot tell in time leaves the answer unconfirmed, and the answer says so.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { chains } from '../../../../schemas/tables/chains.ts'
import { type ChainRefused, isRefused, type NodesDisagree, type SeenAt } from '../reader.ts'
import type { Witnessed } from './block.ts'
import { lookAgain } from './look-again.ts'
import type { EvmNodes } from './nodes.ts'
import { forgetCoinPools } from './prices.ts'

/** The longest wait for the second node. */
const patienceMs = 2500
/** The second node may be a block behind. */
const pauseMs = 400

export async function confirmed<Answer extends SeenAt | ChainRefused<string>>(
  nodes: EvmNodes,
  read: (nodes: EvmNodes) => Promise<Answer>,
): Promise<Answer | NodesDisagree> {
  const witness: Witnessed[] = []
  const answer = await read({ ...nodes, witness })
  const [first] = witness
  if (isRefused(answer) || !first) return answer
  const waiting = new AbortController()
  const told = await Promise.race([
    again(nodes, first, witness),
    sleep(patienceMs, undefined, { signal: waiting.signal }).catch(() => undefined),
  ])
  waiting.abort()
  if (told?.isSame === false) {
    forgetCoinPools(nodes)
    return disagree(nodes, `of block ${first.block.number}`, (answer as SeenAt).source, told.source)
  }
  return { ...answer, confirmed_by: told?.isSame ? told.source : null }
}

export const disagree = ({ chain }: EvmNodes, what: string, one: string, other: string): NodesDisagree => ({
  refused: 'nodes_disagree',
  because: `Two nodes of ${chains[chain].title} give different answers ${what}: ${one} and ${other}`,
})

async function again(nodes: EvmNodes, first: Witnessed, witness: readonly Witnessed[]) {
  // If another node has answered a look, that node has confirmed it, or the look is at another block.
  const looks = witness.filter(({ url }) => url === first.url)
  for (let left = 2; left > 0; left--) {
    try {
      return await lookAgain(nodes, first, looks)
    } catch {
      // The world fails, or the second node is behind: it is asked once more.
      if (left > 1) await sleep(pauseMs)
    }
  }
  return undefined
}

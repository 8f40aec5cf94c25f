/** Makes calls at an earlier block. */
import { hexToBigInt, hexToNumber } from 'viem'
import { chains } from '../../../../schemas/tables/chains.ts'
import type { ContractCall } from './call.ts'
import { answered, chainId, givenBy, mostCalls, NoMulticall, seconds } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import type { Returned } from './words.ts'

/** `returned` has no values if nobody could be asked there yet. */
interface PastSight {
  atMs: number
  returned: Returned[]
}

/** Undefined if the node has forgotten the state of that block, or does not answer. */
export async function lookBack(
  nodes: EvmNodes,
  calls: readonly ContractCall[],
  number: number,
): Promise<PastSight | undefined> {
  const { answer } = await nodes.ask(async client => {
    const returned: Returned[] = []
    let atMs = 0
    try {
      for (let i = 0; i < calls.length; i += mostCalls) {
        const results = await answered(client, [chainId, seconds, ...calls.slice(i, i + mostCalls)], {
          number,
        })
        const [id, at, ...told] = (results ?? []).map(givenBy)
        if (!id || !at || hexToNumber(id) !== chains[nodes.chain].chainId) return undefined
        atMs = Number(hexToBigInt(at)) * 1000
        returned.push(...told)
      }
    } catch (error) {
      // Most nodes keep the states of the last blocks alone. The node is not blamed, and the answer says so.
      return error instanceof NoMulticall ? { atMs, returned: calls.map(() => undefined) } : undefined
    }
    return { atMs, returned }
  })
  return answer
}

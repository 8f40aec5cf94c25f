/** Makes the calls of earlier looks at their block, on another node. */
import { hexToBigInt, hexToNumber } from 'viem'
import { chains } from '../../../../schemas/tables/chains.ts'
import type { EvmBlock, Witnessed } from './block.ts'
import { answered, chainId, givenBy, headerOf, mostCalls } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import type { Returned } from './words.ts'

/** Nearly every question has few calls enough for one request. A portfolio of many tokens has more. */
const mostRequestsAgain = 3

interface SeenAgain {
  source: string
  /** Undefined where the node has less gas, or where there were too many calls to ask for all of them. */
  isSame: boolean | undefined
}

/** Makes the calls of looks again, at their block, on another node. Undefined if there is no other. */
export async function lookAgain(
  nodes: EvmNodes,
  { block, url }: Witnessed,
  looks: readonly Witnessed[],
): Promise<SeenAgain | undefined> {
  const calls = looks.flatMap(each => each.calls)
  const first = looks.flatMap(each => each.returned)
  const starts = Array.from({ length: Math.ceil(calls.length / mostCalls) }, (_, i) => i * mostCalls)
  const seen = await Promise.all(
    starts.slice(0, mostRequestsAgain).map(async from => {
      const some = calls.slice(from, from + mostCalls)
      const all = [...headerOf(nodes), ...some, chainId]
      const told = await nodes.askOther(url, client => answered(client, all, block))
      return (
        told && { ...told, isSame: isSame(told.answer, block, first.slice(from, from + mostCalls), nodes) }
      )
    }),
  )
  const [told] = seen
  if (!told) return undefined
  const isFalse = seen.some(each => each?.isSame === false)
  const isTrue = seen.length === starts.length && seen.every(each => each?.isSame)
  return { source: told.source, isSame: isFalse ? false : isTrue || undefined }
}

/** A node that has another block of this number sees something else. A node of another chain cannot confirm anything. */
function isSame(
  results: Awaited<ReturnType<typeof answered>>,
  block: EvmBlock,
  first: readonly Returned[],
  nodes: EvmNodes,
): boolean | undefined {
  if (!results?.at(-1)?.success) return undefined
  const [id, number, at, before, ...values] = results.map(givenBy)
  if (!id || hexToNumber(id) !== chains[nodes.chain].chainId) return undefined
  return (
    number !== undefined &&
    hexToNumber(number) === block.number &&
    at !== undefined &&
    Number(hexToBigInt(at)) * 1000 === block.atMs &&
    before === block.parent &&
    first.every((value, i) => value === values[i])
  )
}

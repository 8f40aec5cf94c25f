/** Reads the new pools of the factories of an EVM chain, from final blocks, so that no row is ever withdrawn. */
import { chainPools } from '../../schemas/chain-pools.ts'
import { chains, type EvmChainName } from '../../schemas/tables/chains.ts'
import { type FactoryLogs, openFactoryLogs } from '../domains/chain/evm/factory-logs.ts'
import type { ChainNodes } from '../domains/chain/reader.ts'
import { emit, type Source } from './source.ts'

interface Cursor {
  /** The first block that has not been read. */
  next: number
}

const poolsIn = (chain: EvmChainName): string => `pools_${chain}`

const dayMs = 86_400_000

export const poolsOn = (chain: EvmChainName, nodes: ChainNodes): Source =>
  poolsFrom(openFactoryLogs(chain, nodes)) as Source

function poolsFrom(logs: FactoryLogs): Source<Cursor> {
  const { chain } = logs
  return {
    name: poolsIn(chain),
    upstreams: [],
    writes: [chainPools],
    schedule: '* * * * *',
    timeoutMs: 600_000,
    silentAfterMs: 60 * 60_000,

    async *pull(cursor, { signal }) {
      const final = await logs.final(signal)
      // Play-money chains begin again at every start. Then the cursor is beyond the end of the chain.
      const known = cursor && cursor.next <= final + 1 ? cursor : undefined
      let next = known?.next ?? Math.max(0, final - Math.ceil(dayMs / chains[chain].blockMs))
      while (next <= final) {
        const { to, pools } = await logs.read(next, final, signal)
        next = to + 1
        yield { events: pools.map(pool => emit(chainPools, pool)), cursor: { next } }
      }
    },
  }
}

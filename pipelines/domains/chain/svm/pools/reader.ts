/** Reads whole pools, all of them and their tokens at one slot. */
import { look, mostAtOnce, type SvmSight } from '../look.ts'
import type { SvmNodes } from '../nodes.ts'
import { type PoolAt, stateAt, vaultOf } from './finder.ts'
import type { SvmPool } from './pool.ts'
import type { PoolState } from './venue.ts'

export interface ReadPool {
  pool: SvmPool
  state: PoolState
  quote: string
  /** The account in which the pool holds the token. */
  vault: string
}

export interface PoolReading {
  sight: SvmSight
  pools: ReadPool[]
}

const tries = 3

/** Takes as many of the pools, in their order, as fit into one call with the other accounts. */
export async function readPools(
  nodes: SvmNodes,
  found: readonly PoolAt[],
  beside: readonly string[],
): Promise<PoolReading> {
  let chosen = fitting(found, beside)
  for (let left = tries; ; left--) {
    const addresses = [...beside, ...chosen.flatMap(accountsOf)]
    const sight = await look(nodes, addresses, { areHot: true })
    const now = chosen.flatMap(one => {
      const state = stateAt(one.venue, one.state.address, sight)
      return state ? [{ ...one, state }] : []
    })
    // The price has moved to ticks that were not requested. A missing account is not an empty one.
    const isWhole = now.every(({ state }) => state.needs.every(at => sight.asked.has(at)))
    if (isWhole || left === 1) return { sight, pools: now.flatMap(one => poolOf(one, sight)) }
    chosen = fitting(now, beside)
  }
}

function poolOf({ state, quote }: PoolAt, sight: SvmSight): ReadPool[] {
  if (!state.needs.every(at => sight.asked.has(at))) return []
  const accounts = new Map(
    state.needs.flatMap(at => {
      const account = sight.account(at)
      return account ? [[at, account.data] as const] : []
    }),
  )
  const pool = state.pool(accounts, sight.clock)
  const token = state.mints[state.mints[0] === quote ? 1 : 0]
  return pool ? [{ pool, state, quote, vault: vaultOf(state, token) }] : []
}

const accountsOf = ({ state }: PoolAt): string[] => [state.address, ...state.vaults, ...state.needs]

/** They all fit into half of a call. The other half is for pools of SOL, and for the other accounts. */
export const areFew = (found: readonly PoolAt[]): boolean =>
  new Set(found.flatMap(accountsOf)).size <= mostAtOnce / 2

function fitting(found: readonly PoolAt[], beside: readonly string[]): PoolAt[] {
  const asked = new Set(beside)
  const chosen: PoolAt[] = []
  for (const one of found) {
    const more = new Set([...asked, ...accountsOf(one)])
    if (more.size > mostAtOnce) continue
    for (const at of more) asked.add(at)
    chosen.push(one)
  }
  return chosen
}

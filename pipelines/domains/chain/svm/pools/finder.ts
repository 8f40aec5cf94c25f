/** Finds the pools of a token: at derived addresses, never from an index of others. */
import { inTurns } from '../derived-address.ts'
import { look, type Packed, packed, type SvmSight, unpacked } from '../look.ts'
import type { SvmNodes } from '../nodes.ts'
import { tokenAccount } from '../token/account.ts'
import { readable } from '../token/facts.ts'
import { ammV4, ammV4Bytes, ammV4MintsAt } from './amm-v4.ts'
import { clmm } from './clmm.ts'
import { cpmm } from './cpmm.ts'
import { dlmm } from './dlmm.ts'
import { pumpswap } from './pumpswap.ts'
import type { PoolState, Settings, Venue } from './venue.ts'
import { whirlpool } from './whirlpool.ts'

const fewPlaces: readonly Venue[] = [whirlpool, clmm, cpmm, pumpswap]
const derived: readonly Venue[] = [...fewPlaces, dlmm]

export interface PoolAt {
  venue: Venue
  state: PoolState
  /** The mint of the pair that is not the token. */
  quote: string
  /** Atoms of the quote token in the pool's account, which bound its depth. Absent if they were not read. */
  quoteHeld?: bigint
}

export interface PoolFinding {
  pools: PoolAt[]
  /** The node does not list the accounts of a program, so the pools of AMM v4 are missing. */
  isPartial: boolean
}

export interface WantedPool {
  token: string
  quotes: readonly string[]
  /**
   * Searches every kind of pool. If false, only the kinds with few possible addresses, so that one search covers many
   * tokens.
   */
  everywhere: boolean
  /** Includes the pools of AMM v4, which a node must list. The quote tokens themselves are in too many pools. */
  listed: boolean
}

/** Finds the pools of several tokens in the same calls. */
export async function findPools(
  nodes: SvmNodes,
  settings: Settings,
  wanted: readonly WantedPool[],
): Promise<PoolFinding[]> {
  const [placed, listed] = await Promise.all([
    atDerivedAddresses(nodes, settings, wanted),
    Promise.all(wanted.map(one => (one.listed ? listedPools(nodes, one) : []))),
  ])
  return wanted.map((_, i) => ({
    pools: [...(placed[i] ?? []), ...(listed[i] ?? [])],
    isPartial: listed[i] === undefined,
  }))
}

/** Reads the quote holdings of each pool, to find the largest pools. */
export async function sized(nodes: SvmNodes, findings: readonly PoolFinding[]): Promise<PoolFinding[]> {
  const places = findings.flatMap(({ pools }) => pools.map(({ state, quote }) => vaultOf(state, quote)))
  if (!places.length) return [...findings]
  const vaults = await look(nodes, places, { apart: true })
  return findings.map(({ pools, isPartial }) => ({
    pools: pools.map(one => ({ ...one, quoteHeld: heldAt(vaultOf(one.state, one.quote), vaults) })),
    isPartial,
  }))
}

export const vaultOf = ({ mints, vaults }: PoolState, mint: string): string =>
  vaults[mints[0] === mint ? 0 : 1]

function heldAt(vault: string, sight: SvmSight): bigint {
  const account = sight.account(vault)
  return (account && readable(() => tokenAccount(account.data))?.amount) ?? 0n
}

async function atDerivedAddresses(
  nodes: SvmNodes,
  settings: Settings,
  wanted: readonly WantedPool[],
): Promise<PoolAt[][]> {
  const questions = wanted.flatMap(({ token, quotes, everywhere }) =>
    quotes
      .filter(quote => quote !== token)
      .flatMap(quote => (everywhere ? derived : fewPlaces).map(venue => ({ token, quote, venue }))),
  )
  const places = (
    await inTurns(questions, ({ token, quote, venue }) =>
      venue.addresses(token, quote, settings).map(at => ({ at, token, quote, venue })),
    )
  ).flat()
  const sight = await look(
    nodes,
    places.map(({ at }) => at),
    { apart: true },
  )
  return wanted.map(one =>
    places.flatMap(({ at, token, quote, venue }) => {
      const state = token === one.token ? stateAt(venue, at, sight) : undefined
      return state && isPairOf(state, token, quote) ? [{ venue, state, quote }] : []
    }),
  )
}

export function stateAt(venue: Venue, at: string, sight: SvmSight): PoolState | undefined {
  const account = sight.account(at)
  if (account?.program !== venue.program) return undefined
  const mark = account.data.data.subarray(0, 8)
  if (venue.mark && !Buffer.from(venue.mark).equals(mark)) return undefined
  return readable(() => venue.state(at, account.data))
}

const isPairOf = ({ mints }: PoolState, token: string, quote: string): boolean =>
  (mints[0] === token && mints[1] === quote) || (mints[1] === token && mints[0] === quote)

/** Undefined if the node does not list them. */
async function listedPools(nodes: SvmNodes, { token, quotes }: WantedPool): Promise<PoolAt[] | undefined> {
  const lists = await Promise.all(
    ammV4MintsAt.map(offset =>
      nodes.askIfAllowed<{ pubkey: string; account: { data: Packed } }[]>('getProgramAccounts', [
        ammV4.program,
        {
          encoding: packed,
          commitment: 'confirmed',
          filters: [{ dataSize: ammV4Bytes }, { memcmp: { offset, bytes: token } }],
        },
      ]),
    ),
  )
  if (lists.includes(undefined)) return undefined
  return lists
    .flatMap((list = []) => list)
    .flatMap(({ pubkey, account }) => {
      const state = readable(() => ammV4.state(pubkey, unpacked(account.data)))
      const quote = quotes.find(one => state && isPairOf(state, token, one))
      return state && quote ? [{ venue: ammV4, state, quote }] : []
    })
    .slice(0, mostListed)
}

/** Anybody may open more pools for a token. */
const mostListed = 490

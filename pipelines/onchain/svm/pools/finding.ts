/** Finds the pools of a token: at derived addresses, never from an index of others. */
import { look, type Sight } from '../look.ts'
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

const derived: readonly Venue[] = [whirlpool, clmm, cpmm, dlmm, pumpswap]

export interface Found {
  venue: Venue
  state: PoolState
  /** The mint of the pair that is not the token. */
  quote: string
  /** Atoms of the quote in the pool's account. Its depth is never more. */
  quoteHeld: bigint
}

export interface Finding {
  pools: Found[]
  /** The node does not list the accounts of a program, so the pools of AMM v4 are left out. */
  isPartial: boolean
}

export async function findPools(
  nodes: SvmNodes,
  settings: Settings,
  token: string,
  quotes: readonly string[],
  /** The quote tokens themselves are in too many pools to list. */
  isListed: boolean,
): Promise<Finding> {
  const pairs = quotes.filter(quote => quote !== token)
  const [byRule, listed] = await Promise.all([
    atDerivedAddresses(nodes, settings, token, pairs),
    isListed ? listedPools(nodes, token, pairs) : [],
  ])
  const states = [...byRule, ...(listed ?? [])]
  const vaults = await look(
    nodes,
    states.map(({ state, quote }) => vaultOf(state, quote)),
    { apart: true },
  )
  return {
    pools: states.map(one => ({ ...one, quoteHeld: heldAt(vaultOf(one.state, one.quote), vaults) })),
    isPartial: listed === undefined,
  }
}

export const vaultOf = ({ mints, vaults }: PoolState, mint: string): string =>
  vaults[mints[0] === mint ? 0 : 1]

function heldAt(vault: string, sight: Sight): bigint {
  const account = sight.account(vault)
  return (account && readable(() => tokenAccount(account.data))?.amount) ?? 0n
}

type Placed = Omit<Found, 'quoteHeld'>

async function atDerivedAddresses(
  nodes: SvmNodes,
  settings: Settings,
  token: string,
  quotes: readonly string[],
): Promise<Placed[]> {
  const places = quotes.flatMap(quote =>
    derived.flatMap(venue => venue.addresses(token, quote, settings).map(at => ({ at, venue, quote }))),
  )
  const sight = await look(
    nodes,
    places.map(({ at }) => at),
    { apart: true },
  )
  return places.flatMap(({ at, venue, quote }) => {
    const state = stateAt(venue, at, sight)
    return state && isPairOf(state, token, quote) ? [{ venue, state, quote }] : []
  })
}

export function stateAt(venue: Venue, at: string, sight: Sight): PoolState | undefined {
  const account = sight.account(at)
  if (account?.program !== venue.program) return undefined
  const mark = account.data.data.subarray(0, 8)
  if (venue.mark && !Buffer.from(venue.mark).equals(mark)) return undefined
  return readable(() => venue.state(at, account.data))
}

const isPairOf = ({ mints }: PoolState, token: string, quote: string): boolean =>
  (mints[0] === token && mints[1] === quote) || (mints[1] === token && mints[0] === quote)

/** Undefined: the node does not list them. */
async function listedPools(
  nodes: SvmNodes,
  token: string,
  quotes: readonly string[],
): Promise<Placed[] | undefined> {
  const lists = await Promise.all(
    ammV4MintsAt.map(offset =>
      nodes.askIfAllowed<{ pubkey: string }[]>('getProgramAccounts', [
        ammV4.program,
        {
          encoding: 'base64',
          commitment: 'confirmed',
          dataSlice: { offset: 0, length: 0 },
          filters: [{ dataSize: ammV4Bytes }, { memcmp: { offset, bytes: token } }],
        },
      ]),
    ),
  )
  if (lists.includes(undefined)) return undefined
  const addresses = lists.flatMap(list => (list ?? []).map(({ pubkey }) => pubkey)).slice(0, mostListed)
  const sight = await look(nodes, addresses, { apart: true })
  return addresses.flatMap(at => {
    const state = stateAt(ammV4, at, sight)
    const quote = state && quotes.find(one => isPairOf(state, token, one))
    return state && quote ? [{ venue: ammV4, state, quote }] : []
  })
}

/** Anybody may open pools of a known token by the thousand. */
const mostListed = 490

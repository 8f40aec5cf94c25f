/** Reads accounts at one slot, so that all data fits together. */
import { zstdDecompressSync } from 'node:zlib'
import { chains } from '../../../../schemas/tables/chains.ts'
import { UpstreamFailed } from '../../../rails/failures.ts'
import { Bytes } from './bytes.ts'
import type { SvmNodes } from './nodes.ts'
import type { Clock } from './pools/venue.ts'
import { clockAccount, tokenProgram } from './programs.ts'
import type { SvmAccount, SvmShown } from './witness.ts'

export interface SvmSight {
  clock: Clock
  /** The last slot of any account. It differs from the clock's slot only if one call was too small. */
  upTo: number
  source: string
  asked: ReadonlySet<string>
  /** Undefined if there is no such account. */
  account(address: string): SvmAccount | undefined
}

/** Packed, a busy array of ticks takes a third of the bytes, and an empty one almost none. */
export const packed = 'base64+zstd'
/** The data and its encoding. */
export type Packed = [string, string]

interface Reply {
  context: { slot: number }
  value: ({ data: Packed; owner: string; lamports: number | string; executable: boolean } | null)[]
}

/** Nodes give 100 accounts in a call. Two of them show the date and the network. */
const mostAccounts = 100
export const mostAtOnce = mostAccounts - 2
const tries = 3
/** A node lags if its newest slot is older than this. */
const staleMs = 60_000

interface Wish {
  /** No account may be older than this slot. */
  since?: number
  /** Accounts that only help to find others may come from several slots. */
  apart?: boolean
  /** They change with nearly every slot. */
  areHot?: boolean
}

/** The clock of all accounts is that of the earliest slot. Up to 98 accounts are always read at one slot. */
export async function look(
  nodes: SvmNodes,
  addresses: readonly string[],
  { since, apart = false, areHot = false }: Wish = {},
): Promise<SvmSight> {
  const wanted = [...new Set(addresses)]
  const parts = Array.from({ length: Math.max(1, Math.ceil(wanted.length / mostAtOnce)) }, (_, i) =>
    wanted.slice(i * mostAtOnce, (i + 1) * mostAtOnce),
  )
  for (let left = tries, after = since; ; left--) {
    const seen = await Promise.all(parts.map(part => lookOnce(nodes, part, after)))
    const slots = seen.map(({ slot }) => slot)
    const [first, last] = [Math.min(...slots), Math.max(...slots)]
    const earliest = seen.find(({ slot }) => slot === first) as (typeof seen)[number]
    if (first === last || apart || left === 1) {
      const accounts = new Map(seen.flatMap(({ accounts }) => [...accounts]))
      const { clock, source } = earliest
      if (!apart) nodes.witness?.add(seen.map(part => ({ ...part, areHot })))
      return { clock, upTo: last, source, asked: new Set(wanted), account: address => accounts.get(address) }
    }
    after = last
  }
}

type Part = SvmShown & { clock: Clock }

async function lookOnce(
  nodes: SvmNodes,
  addresses: readonly string[],
  since: number | undefined,
): Promise<Part> {
  const { all, options } = callOf(nodes, addresses, since)
  const read = new Map<Reply, ReturnType<typeof readReply>>()
  // The answer is checked within the call: a node with a useless answer has failed, and the next one is asked.
  // Two nodes may answer, and the answer that counts has its own reading.
  const { answer, source, url } = await nodes.ask<Reply>('getMultipleAccounts', [all, options], reply => {
    read.set(reply, readReply(reply, all, nodes))
  })
  return { ...(read.get(answer) as ReturnType<typeof readReply>), addresses, source, url }
}

/** Of one node, at this slot or a later one. */
export async function lookAt(
  nodes: SvmNodes,
  url: string,
  addresses: readonly string[],
  since: number,
): Promise<SvmShown> {
  const { all, options } = callOf(nodes, addresses, since)
  const { answer, source } = await nodes.askNode<Reply>(url, 'getMultipleAccounts', [all, options])
  return { ...readReply(answer, all, nodes), addresses, source, url }
}

const callOf = ({ chain }: SvmNodes, addresses: readonly string[], since: number | undefined) => ({
  all: [clockAccount, chains[chain].usdc, ...addresses],
  options: {
    encoding: packed,
    commitment: 'confirmed',
    ...(since !== undefined && { minContextSlot: since }),
  },
})

function readReply({ context: { slot }, value }: Reply, asked: readonly string[], { chain, now }: SvmNodes) {
  if (value.length !== asked.length)
    throw new UpstreamFailed(`the node gave ${value.length} of ${asked.length} accounts`)
  const [clock, dollar] = value
  if (!clock) throw new UpstreamFailed('the node cannot date its accounts')
  if (dollar?.owner !== tokenProgram)
    throw new UpstreamFailed(`the node is of another network: USDC is not at ${chains[chain].usdc}`)
  const read = clockIn(unpacked(clock.data))
  const ageMs = now() - read.unixSeconds * 1000
  if (ageMs > staleMs)
    throw new UpstreamFailed(`the newest slot of the node is ${Math.round(ageMs / 1000)} s old`)
  const accounts = new Map<string, SvmAccount>()
  for (const [i, account] of value.entries())
    if (account)
      accounts.set(asked[i] as string, {
        program: account.owner,
        lamports: BigInt(account.lamports),
        executable: account.executable,
        data: unpacked(account.data),
      })
  return { slot, clock: { ...read, slot }, accounts }
}

const clockIn = (data: Bytes): Clock => ({
  slot: Number(data.u64(0)),
  epoch: data.u64(16),
  unixSeconds: Number(data.i64(32)),
})

/** No account of Solana is larger. */
const mostBytes = 10 * 1024 * 1024

/** A node may leave an account unpacked. */
export function unpacked([text, encoding]: Packed): Bytes {
  const bytes = Buffer.from(text, 'base64')
  return new Bytes(encoding === packed ? zstdDecompressSync(bytes, { maxOutputLength: mostBytes }) : bytes)
}

/** Reads accounts at one slot. What is read together was true together. */
import { chains } from '../../../schemas/chains.ts'
import { UpstreamFailed } from '../../failures.ts'
import { Bytes } from './bytes.ts'
import type { SvmNodes } from './nodes.ts'
import type { Clock } from './pools/venue.ts'
import { clockAccount, tokenProgram } from './programs.ts'

export interface Account {
  /** The program that may write it. */
  program: string
  lamports: bigint
  executable: boolean
  data: Bytes
}

export interface Sight {
  clock: Clock
  /** The last slot that an account was read at. It differs from the clock's only where one call was too small. */
  upTo: number
  source: string
  asked: ReadonlySet<string>
  /** Undefined: there is none. */
  account(address: string): Account | undefined
}

interface Reply {
  context: { slot: number }
  value: ({ data: [string, string]; owner: string; lamports: number; executable: boolean } | null)[]
}

/** Nodes give 100 accounts in a call. Two of them date it and name the network. */
const mostAccounts = 100
export const mostAtOnce = mostAccounts - 2
const tries = 3
/** A node whose newest slot is older than this lags. */
const staleMs = 60_000

interface Wish {
  /** No account may be older than this slot. */
  since?: number
  /** Accounts that only help to find others may be of several slots. */
  apart?: boolean
}

/** The clock of all accounts is the one of the earliest slot. Up to 98 of them are always read at one slot. */
export async function look(
  nodes: SvmNodes,
  addresses: readonly string[],
  { since, apart = false }: Wish = {},
): Promise<Sight> {
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
      return { clock, upTo: last, source, asked: new Set(wanted), account: address => accounts.get(address) }
    }
    after = last
  }
}

async function lookOnce(nodes: SvmNodes, addresses: readonly string[], since: number | undefined) {
  const { usdc } = chains[nodes.chain]
  const all = [clockAccount, usdc, ...addresses]
  const options = {
    encoding: 'base64',
    commitment: 'confirmed',
    ...(since !== undefined && { minContextSlot: since }),
  }
  const { answer, source } = await nodes.ask<Reply>('getMultipleAccounts', [all, options], reply => {
    if (reply.value.length !== all.length)
      throw new UpstreamFailed(`the node gave ${reply.value.length} of ${all.length} accounts`)
    const [clock, dollar] = reply.value
    if (!clock) throw new UpstreamFailed('the node cannot date its accounts')
    if (dollar?.owner !== tokenProgram)
      throw new UpstreamFailed(`the node is of another network: USDC is not at ${usdc}`)
    const ageMs = nodes.now() - clockIn(clock.data[0]).unixSeconds * 1000
    if (ageMs > staleMs)
      throw new UpstreamFailed(`the newest slot of the node is ${Math.round(ageMs / 1000)} s old`)
  })
  const clock = clockIn(answer.value[0]?.data[0] as string)
  const accounts = new Map<string, Account>()
  for (const [i, account] of answer.value.entries())
    if (account)
      accounts.set(all[i] as string, {
        program: account.owner,
        lamports: BigInt(account.lamports),
        executable: account.executable,
        data: new Bytes(Buffer.from(account.data[0], 'base64')),
      })
  return { slot: answer.context.slot, clock: { ...clock, slot: answer.context.slot }, source, accounts }
}

function clockIn(base64: string): Clock {
  const data = new Bytes(Buffer.from(base64, 'base64'))
  return { slot: Number(data.u64(0)), epoch: data.u64(16), unixSeconds: Number(data.i64(32)) }
}

/** The holdings of an owner: all accounts, of both token programs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Bytes } from '../bytes.ts'
import type { SvmNodes } from '../nodes.ts'
import { token2022Program, tokenProgram } from '../programs.ts'
import { tokenAccount } from './account.ts'
import { readable } from './facts.ts'

export interface HeldIn {
  account: string
  mint: string
  amount: bigint
}

interface Reply {
  context: { slot: number }
  value: { pubkey: string; account: { data: [string, string] } }[]
}

/** `upTo`: the slot of the later list. An account that only a second node lists is looked at, too. */
export async function heldBy(nodes: SvmNodes, owner: string): Promise<{ held: HeldIn[]; upTo: number }> {
  const lists = await Promise.all(
    [tokenProgram, token2022Program].map(programId =>
      nodes.ask<Reply>('getTokenAccountsByOwner', askedOf(owner, programId)),
    ),
  )
  const held = lists.flatMap(({ answer }) => heldIn(answer, owner))
  const known = new Set(held.map(({ account }) => account))
  const others = await listedByOther(nodes, owner, lists[0]?.url ?? '')
  return {
    held: [...held, ...others.filter(({ account }) => !known.has(account))],
    upTo: Math.max(...lists.map(({ answer }) => answer.context.slot)),
  }
}

const askedOf = (owner: string, programId: string) => [
  owner,
  { programId },
  { encoding: 'base64', commitment: 'confirmed' },
]

/** A node lists accounts by an index. Only the account itself proves its owner. */
const heldIn = ({ value }: Reply, owner: string): HeldIn[] =>
  value.flatMap(({ pubkey, account: { data } }) => {
    const read = readable(() => tokenAccount(new Bytes(Buffer.from(data[0], 'base64'))))
    return read?.owner === owner ? [{ account: pubkey, mint: read.mint, amount: read.amount }] : []
  })

/** Longer than this nobody waits for the second node. */
const patienceMs = 2500

/** Nothing, where no second node has to confirm what the first one lists. */
async function listedByOther(nodes: SvmNodes, owner: string, url: string): Promise<HeldIn[]> {
  const other = nodes.witness && nodes.otherThan(url)
  if (!other) return []
  const waiting = new AbortController()
  const lists = Promise.all(
    [tokenProgram, token2022Program].map(programId =>
      nodes.askNode<Reply>(other, 'getTokenAccountsByOwner', askedOf(owner, programId)),
    ),
  ).then(
    all => all.flatMap(({ answer }) => heldIn(answer, owner)),
    // The world fails: the answer stays unconfirmed.
    () => undefined,
  )
  const late = sleep(patienceMs, undefined, { signal: waiting.signal }).catch(() => undefined)
  const found = await Promise.race([lists, late])
  waiting.abort()
  if (!found && nodes.witness) nodes.witness.isUnlisted = true
  return found ?? []
}

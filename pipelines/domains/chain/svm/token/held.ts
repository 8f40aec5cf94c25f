/** The holdings of an owner: all accounts, of both token programs. */
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

/** `upTo`: the slot of the later list. */
export async function heldBy(nodes: SvmNodes, owner: string): Promise<{ held: HeldIn[]; upTo: number }> {
  const options = { encoding: 'base64', commitment: 'confirmed' }
  const lists = await Promise.all(
    [tokenProgram, token2022Program].map(programId =>
      nodes.ask<Reply>('getTokenAccountsByOwner', [owner, { programId }, options]),
    ),
  )
  const held = lists.flatMap(({ answer }) =>
    answer.value.flatMap(({ pubkey, account: { data } }) => {
      const read = readable(() => tokenAccount(new Bytes(Buffer.from(data[0], 'base64'))))
      // A node lists accounts by an index. Only the account itself proves its owner.
      return read?.owner === owner ? [{ account: pubkey, mint: read.mint, amount: read.amount }] : []
    }),
  )
  return { held, upTo: Math.max(...lists.map(({ answer }) => answer.context.slot)) }
}

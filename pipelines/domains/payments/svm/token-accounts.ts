/** What is in the way of a transfer between two token accounts. One that fails costs its fee all the same, and again with each try. */
import { PublicKey } from '@solana/web3.js'
import type { RefundObstacle } from '../refund.ts'
import type { Rpc } from './rpc.ts'

/** Where a token account names its owner, its amount, and whether it is frozen. */
const [ownerAt, amountAt, stateAt] = [32, 64, 108]

interface Between {
  source: string
  destination: string
  /** Of the destination. */
  owner: string
  amount: bigint
}

export async function obstacleBetween(
  rpc: Rpc,
  { source, destination, owner, amount }: Between,
): Promise<RefundObstacle | undefined> {
  const theirs = await heldAt(rpc, destination)
  // An account can be given to somebody else, and keeps its address.
  if (!theirs?.owner.equals(new PublicKey(owner).toBuffer())) return 'no account'
  const own = await heldAt(rpc, source)
  if (!own || own.amount < amount) return 'balance'
  return theirs.isFrozen || own.isFrozen ? 'other' : undefined
}

async function heldAt(rpc: Rpc, account: string) {
  const { value } = await rpc<{ value: { data: [string, string] } | null }>('getAccountInfo', account, {
    encoding: 'base64',
    commitment: 'confirmed',
  })
  if (!value) return undefined
  const data = Buffer.from(value.data[0], 'base64')
  return {
    owner: data.subarray(ownerAt, amountAt),
    amount: data.readBigUInt64LE(amountAt),
    isFrozen: data[stateAt] !== 1,
  }
}

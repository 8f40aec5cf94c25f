/** Reads the movements of a parsed transaction, and whether it has the form of an x402 payment. */
import type { Transfer } from '../transfer.ts'

/** The parts that we read of a getTransaction answer with the encoding jsonParsed. */
export interface PaymentTransaction {
  slot: number
  blockTime: number | null
  meta: {
    err: unknown
    innerInstructions?: { index: number; instructions: ParsedInstruction[] }[] | null
    preTokenBalances?: TokenBalance[] | null
    postTokenBalances?: TokenBalance[] | null
  } | null
  transaction: {
    signatures: string[]
    message: { accountKeys: { pubkey: string }[]; instructions: ParsedInstruction[] }
  }
}

interface ParsedInstruction {
  programId: string
  parsed?: { type?: string; info?: Record<string, unknown> } | string
}

interface TokenBalance {
  accountIndex: number
  mint: string
  owner?: string
}

const tokenPrograms = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
])
/** The programs that x402 allows in addition to the transfer: fees, opening the account, a memo, an assertion. */
const besides = new Set([
  'ComputeBudget111111111111111111111111111111',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95',
])

type Timed = PaymentTransaction & { blockTime: number }

/** Every transfer of the token, in the order of the instructions. A failed transaction has none. */
export function transfersIn(transaction: Timed, mint: string): Transfer[] {
  const { meta, slot, blockTime, transaction: signed } = transaction
  if (!meta || meta.err !== null) return []
  const { accountKeys, instructions } = signed.message
  const balances = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])]
  const held = new Map(balances.map(balance => [accountKeys[balance.accountIndex]?.pubkey, balance]))
  const feePayer = accountKeys[0]?.pubkey ?? ''
  const inner = new Map(
    (meta.innerInstructions ?? []).map(({ index, instructions }) => [index, instructions]),
  )
  const inOrder = instructions.flatMap((instruction, i) => [instruction, ...(inner.get(i) ?? [])])
  const moved = inOrder.flatMap((instruction, position) => {
    const transfer = transferOf(instruction)
    const from = transfer && held.get(transfer.source)
    const to = transfer && held.get(transfer.destination)
    if (!transfer || (transfer.mint ?? from?.mint ?? to?.mint) !== mint) return []
    return [{ ...transfer, position, payer: from?.owner ?? transfer.authority, payTo: to?.owner ?? '' }]
  })
  const [only] = moved
  const exact =
    moved.length === 1 &&
    only?.checked === true &&
    only.authority !== feePayer &&
    only.payer !== only.payTo &&
    instructions.filter(({ programId }) => tokenPrograms.has(programId)).length === 1 &&
    instructions.every(({ programId }) => tokenPrograms.has(programId) || besides.has(programId))
  return moved
    .filter(({ payTo }) => payTo !== '')
    .map(({ position, payer, payTo, amount }) => ({
      tx: signed.signatures[0] as string,
      position,
      block: slot,
      atMs: blockTime * 1000,
      payer,
      payTo,
      amount,
      method: exact ? 'svm_exact' : 'plain',
      facilitator: exact ? feePayer : null,
      nonce: null,
    }))
}

function transferOf({ programId, parsed }: ParsedInstruction) {
  if (!tokenPrograms.has(programId) || typeof parsed !== 'object') return undefined
  const { type, info = {} } = parsed
  const checked = type === 'transferChecked'
  if (!checked && type !== 'transfer') return undefined
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const tokenAmount = info.tokenAmount as { amount?: unknown } | undefined
  const amount = text(checked ? tokenAmount?.amount : info.amount)
  if (!/^\d+$/.test(amount)) return undefined
  return {
    checked,
    source: text(info.source),
    destination: text(info.destination),
    authority: text(info.authority ?? info.multisigAuthority),
    mint: checked ? text(info.mint) : undefined,
    amount: BigInt(amount),
  }
}

/**
 * The movements of a transaction. The balances before and after are the truth. The instructions name giver and taker,
 * and count for a token only if they add up to its balances.
 */
import { fromAtoms } from '../../../../../schemas/tables/stablecoins.ts'
import type { ChainTransfer } from '../../reader.ts'
import { knownSymbol } from '../known-tokens.ts'
import { solDecimals, systemProgram, token2022Program, tokenProgram } from '../programs.ts'
import { type Moved, movedBy } from './moved.ts'
import {
  atomsOf,
  type Instruction,
  inOrder,
  type ParsedTokenBalance,
  type ParsedTransaction,
  textOf,
} from './parsed.ts'

interface Account {
  mint: string
  owner: string | null
  decimals: number
  program: string
  change: bigint
}
type Accounts = ReadonlyMap<string, Account>

export function transfersIn(transaction: ParsedTransaction): ChainTransfer[] {
  if (transaction.meta?.err !== null) return []
  const accounts = accountsIn(transaction)
  const instructions = inOrder(transaction)
  const moved = instructions.flatMap(one => movedBy(one) ?? [])
  const mintOf = ({ mint, from, to }: Moved) =>
    mint ?? accounts.get(from ?? '')?.mint ?? accounts.get(to ?? '')?.mint
  const mints = new Set([...accounts.values()].map(({ mint }) => mint))
  return [
    ...instructions.flatMap(one => nativeIn(one) ?? []),
    ...[...mints].flatMap(mint => {
      const held = [...accounts].filter(([, account]) => account.mint === mint)
      const said = moved.filter(one => mintOf(one) === mint)
      return addsUp(held, said) ? said.flatMap(one => shown(one, accounts, held) ?? []) : netOf(held)
    }),
  ]
}

function accountsIn({ meta, transaction }: ParsedTransaction): Accounts {
  const accounts = new Map<string, Account>()
  const add = (balances: readonly ParsedTokenBalance[] | null | undefined, sign: bigint) => {
    for (const { accountIndex, mint, owner, programId, uiTokenAmount } of balances ?? []) {
      const at = transaction.message.accountKeys[accountIndex]?.pubkey
      if (!at) continue
      accounts.set(at, {
        mint,
        owner: owner ?? null,
        decimals: uiTokenAmount.decimals,
        program: programId ?? tokenProgram,
        change: (accounts.get(at)?.change ?? 0n) + sign * BigInt(uiTokenAmount.amount),
      })
    }
  }
  add(meta?.preTokenBalances, -1n)
  add(meta?.postTokenBalances, 1n)
  return accounts
}

/** Accounts that were opened and closed within the transaction have no balances, and are not compared. */
function addsUp(held: readonly [string, Account][], said: readonly Moved[]): boolean {
  const changes = new Map<string, bigint>()
  const add = (at: string | null, amount: bigint) => at && changes.set(at, (changes.get(at) ?? 0n) + amount)
  for (const { from, to, amount, arrives } of said) {
    add(from, -amount)
    add(to, arrives)
  }
  return held.every(([at, { change }]) => (changes.get(at) ?? 0n) === change)
}

function shown(
  moved: Moved,
  accounts: Accounts,
  held: readonly [string, Account][],
): ChainTransfer | undefined {
  const known = held[0]?.[1]
  if (!known || moved.amount === 0n) return undefined
  const { from, to, amount, authority } = moved
  return transferOf(known, {
    from: from && (accounts.get(from)?.owner ?? authority ?? from),
    to: to && (accounts.get(to)?.owner ?? to),
    amount,
  })
}

/**
 * No instruction names giver and taker. With one giver and one taker the case is clear; otherwise the other side is
 * null.
 */
function netOf(held: readonly [string, Account][]): ChainTransfer[] {
  const byOwner = new Map<string, Account>()
  for (const [at, account] of held) {
    const owner = account.owner ?? at
    byOwner.set(owner, { ...account, change: (byOwner.get(owner)?.change ?? 0n) + account.change })
  }
  const givers = [...byOwner].filter(([, { change }]) => change < 0n)
  const takers = [...byOwner].filter(([, { change }]) => change > 0n)
  const [[giver, gave] = [], [taker, took] = []] = [givers[0], takers[0]]
  const isPair = givers.length === 1 && takers.length === 1
  if (isPair && giver && taker && gave && took && gave.change === -took.change)
    return [transferOf(took, { from: giver, to: taker, amount: took.change })]
  return [
    ...givers.map(([from, account]) => transferOf(account, { from, to: null, amount: -account.change })),
    ...takers.map(([to, account]) => transferOf(account, { from: null, to, amount: account.change })),
  ]
}

const transferOf = (
  { mint, program, decimals }: Account,
  { from, to, amount }: { from: string | null; to: string | null; amount: bigint },
): ChainTransfer => ({
  standard: program === token2022Program ? 'token2022' : 'spl',
  token: mint,
  symbol: knownSymbol(mint) ?? null,
  from,
  to,
  amount: fromAtoms(amount, decimals),
  raw: String(amount),
  token_id: null,
})

const movesSol = /^(transfer|transferWithSeed|createAccount|createAccountWithSeed)$/

function nativeIn({ programId, parsed }: Instruction): ChainTransfer | undefined {
  if (programId !== systemProgram || typeof parsed !== 'object') return undefined
  const { type = '', info = {} } = parsed
  const lamports = atomsOf(info.lamports)
  if (!lamports || !movesSol.test(type)) return undefined
  return {
    standard: 'native',
    token: null,
    symbol: 'SOL',
    from: textOf(info.source),
    to: textOf(info.destination) ?? textOf(info.newAccount),
    amount: fromAtoms(lamports, solDecimals),
    raw: String(lamports),
    token_id: null,
  }
}

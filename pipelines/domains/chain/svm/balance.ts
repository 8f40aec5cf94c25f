/** The holdings of an address: SOL, the stablecoins, and the tokens that the caller names. */
import { chains } from '../../../../schemas/tables/chains.ts'
import { fromAtoms } from '../../../../schemas/tables/stablecoins.ts'
import type { Balance, Holder, TokenBalance } from '../reader.ts'
import { look, type SvmSight } from './look.ts'
import type { SvmNodes } from './nodes.ts'
import { tokenAccount } from './token/account.ts'
import { readable, seen, tokenAccounts, tokenIn } from './token/facts.ts'
import { type HeldIn, heldBy } from './token/held.ts'

export async function balanceOf(nodes: SvmNodes, { address, tokens = [] }: Holder): Promise<Balance> {
  const { native, usdc, usdt } = chains[nodes.chain]
  const { held, upTo } = await heldBy(nodes, address)
  const wanted = new Set([usdc, usdt, ...tokens])
  const accounts = held.filter(({ mint }) => wanted.has(mint))
  const sight = await look(
    nodes,
    [address, ...accounts.map(({ account }) => account), ...tokens.flatMap(tokenAccounts)],
    { since: upTo },
  )
  const owner = sight.account(address)
  const lamports = owner?.lamports ?? 0n
  const stable = (mint: string) => {
    const atoms = atomsOf(mint, accounts, sight)
    return { balance: fromAtoms(atoms, stableDecimals), raw: String(atoms) }
  }
  return {
    ...seen(nodes, sight),
    address,
    native: { ...native, balance: fromAtoms(lamports, native.decimals), raw: String(lamports) },
    usdc: stable(usdc),
    usdt: stable(usdt),
    tokens: tokens.map(token => heldOf(token, accounts, sight)),
    is_contract: owner?.executable ?? false,
  }
}

const stableDecimals = 6

/** An owner may hold one token in several accounts. An account that was closed in the meantime holds nothing. */
export const atomsOf = (mint: string, held: readonly HeldIn[], sight: SvmSight): bigint =>
  held
    .filter(one => one.mint === mint)
    .map(({ account }) => sight.account(account))
    .map(account => (account && readable(() => tokenAccount(account.data))?.amount) ?? 0n)
    .reduce((sum, amount) => sum + amount, 0n)

function heldOf(token: string, held: readonly HeldIn[], sight: SvmSight): TokenBalance {
  const read = tokenIn(token, sight)
  if ('refused' in read)
    return { token, symbol: null, decimals: null, balance: null, raw: null, error: read.because }
  const { decimals } = read.mint
  const atoms = atomsOf(token, held, sight)
  return {
    token,
    symbol: read.symbol,
    decimals,
    balance: fromAtoms(atoms, decimals),
    raw: String(atoms),
    error: null,
  }
}

/** An owner's holdings, with prices. On Solana all token accounts of an owner can be found. */
import { chains } from '../../../../schemas/tables/chains.ts'
import { fromAtoms } from '../../../../schemas/tables/stablecoins.ts'
import { toUnits } from '../dollars.ts'
import { summed, valued } from '../holdings.ts'
import type { Holder, Portfolio } from '../reader.ts'
import { atomsOf } from './balance.ts'
import { knownSymbol } from './known-tokens.ts'
import { look, type SvmSight } from './look.ts'
import type { SvmNodes } from './nodes.ts'
import { priced, type SvmPricedPool } from './priced-pool.ts'
import type { Pricing } from './prices.ts'
import { wrappedSol } from './programs.ts'
import { type SvmReadToken, seen, tokenAccounts, tokenIn } from './token/facts.ts'
import { heldBy } from './token/held.ts'

/** At most this many tokens are shown and priced. Strangers may send a wallet thousands of worthless tokens. */
const mostShown = 100
const mostPriced = 20

export async function portfolioOf(
  nodes: SvmNodes,
  pricing: Pricing,
  { address, tokens }: Holder,
): Promise<Portfolio> {
  const { native } = chains[nodes.chain]
  const { held, upTo } = await heldBy(nodes, address)
  const nonZero = held.filter(({ mint, amount }) => amount > 0n && (tokens?.includes(mint) ?? true))
  const all = [...new Set(nonZero.map(({ mint }) => mint))].sort(knownFirst)
  const mints = all.slice(0, mostShown)
  const wanted = nonZero.filter(({ mint }) => mints.includes(mint))
  const sight = await look(
    nodes,
    [address, ...wanted.map(({ account }) => account), ...mints.flatMap(tokenAccounts)],
    { since: upTo },
  )
  const read = mints
    .map(mint => ({ mint, token: tokenIn(mint, sight), atoms: atomsOf(mint, wanted, sight) }))
    .flatMap(({ mint, token, atoms }) => ('refused' in token || atoms === 0n ? [] : [{ mint, token, atoms }]))
  const lamports = sight.account(address)?.lamports ?? 0n
  const worthy = read.filter(({ token }) => mayTrade(token)).slice(0, mostPriced)
  const prices = await pricesOf(pricing, [
    { mint: wrappedSol, decimals: native.decimals },
    ...worthy.map(({ mint, token }) => ({ mint, decimals: token.mint.decimals })),
  ])
  const holdingOf = (token: string | null, symbol: string | null, atoms: bigint, decimals: number) =>
    valued(
      { token: token ?? 'native', symbol, amount: fromAtoms(atoms, decimals) },
      toUnits(atoms, decimals),
      prices.of(token ?? wrappedSol),
    )
  const sol = lamports > 0n ? [holdingOf(null, native.symbol, lamports, native.decimals)] : []
  const others = read.map(({ mint, token, atoms }) =>
    holdingOf(mint, token.symbol, atoms, token.mint.decimals),
  )
  return {
    ...seen(nodes, sight),
    address,
    ...summed(sol, others),
    coverage: coverageOf(sight, prices, {
      isNamed: tokens !== undefined,
      unshown: all.length - mints.length,
      unpriced: read.length - worthy.length,
    }),
    // The accounts of the address are listed, so a mint that is not among them is held by nobody.
    unread: [],
  }
}

/** A single indivisible piece is an NFT, and has no pool. */
const mayTrade = ({ mint }: SvmReadToken): boolean => mint.decimals > 0 || mint.supply > 1n

const knownFirst = (a: string, b: string): number =>
  Number(knownSymbol(b) !== undefined) - Number(knownSymbol(a) !== undefined)

interface Prices {
  of(mint: string): SvmPricedPool | undefined
  slots: number[]
}

async function pricesOf(
  pricing: Pricing,
  tokens: readonly { mint: string; decimals: number }[],
): Promise<Prices> {
  const readings = await pricing.readMany([...new Set(tokens.map(({ mint }) => mint))])
  const found = new Map(
    tokens.flatMap(({ mint, decimals }) => {
      const reading = readings.get(mint)
      const [deepest] = reading ? priced(mint, decimals, reading) : []
      return deepest ? [[mint, deepest] as const] : []
    }),
  )
  return {
    of: mint => found.get(mint),
    slots: [...readings.values()].map(({ sight }) => sight.clock.slot),
  }
}

const tokens = (count: number): string => (count === 1 ? '1 token is' : `${count} tokens are`)

function coverageOf(
  sight: SvmSight,
  { slots }: Prices,
  { isNamed, unshown, unpriced }: { isNamed: boolean; unshown: number; unpriced: number },
): string {
  const [first, last] = [sight.clock.slot, Math.max(sight.upTo, ...slots)]
  return [
    isNamed ? 'SOL, and the tokens that were named' : 'SOL, and every token account of the address',
    ...(unshown > 0 ? [`${tokens(unshown)} left out: ${mostShown} are shown, the known ones first`] : []),
    ...(unpriced > 0
      ? [
          `no pools are looked for of ${unpriced} ${unpriced === 1 ? 'token' : 'tokens'}: NFTs, and those after the first ${mostPriced}`,
        ]
      : []),
    ...(last > first ? [`amounts are of slot ${first}, prices of slots up to ${last}`] : []),
  ].join('; ')
}

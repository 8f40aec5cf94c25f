/** The holdings of an address: native coin, stablecoins, and the tokens that the caller names. */
import type { Address } from 'viem'
import { chains } from '../../../../schemas/tables/chains.ts'
import { fromAtoms } from '../../../../schemas/tables/stablecoins.ts'
import { UpstreamFailed } from '../../../rails/failures.ts'
import type { Amount, Balance, Holder, TokenBalance } from '../reader.ts'
import { isContract } from './code.ts'
import { look, nativeBalance } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import { balanceCall, decimalsOf, inUnits, shownAddress, textOf, tokenCall } from './token.ts'
import { type Returned, uintOf } from './words.ts'

const stableDecimals = 6

export async function balanceOf(nodes: EvmNodes, { address, tokens = [] }: Holder): Promise<Balance> {
  const { native, usdc, usdt } = chains[nodes.chain]
  const holder = address as Address
  const stables = [usdc, ...(usdt ? [usdt] : [])]
  const { block, source, returned } = await look(nodes, [
    nativeBalance(holder),
    ...stables.map(token => balanceCall(token, holder)),
    ...tokens.flatMap(token => [
      tokenCall(token as Address, 'symbol'),
      tokenCall(token as Address, 'decimals'),
      balanceCall(token as Address, holder),
    ]),
  ])
  const [coins, ...rest] = returned
  const [ofUsdc, ofUsdt] = rest
  const ofTokens = rest.slice(stables.length)
  return {
    chain: nodes.chain,
    address: shownAddress(holder),
    native: { ...native, ...amountOf(coins, native.decimals) },
    usdc: amountOf(ofUsdc, stableDecimals),
    usdt: usdt ? amountOf(ofUsdt, stableDecimals) : null,
    tokens: tokens.map((token, i) => heldOf(token as Address, ofTokens.slice(3 * i, 3 * i + 3))),
    is_contract: await isContract(nodes, holder, block),
    block: block.number,
    fetched_at: new Date(nodes.now()).toISOString(),
    source,
    confirmed_by: null,
  }
}

function amountOf(returned: Returned, decimals: number): Amount & { balance: string } {
  const atoms = uintOf(returned)
  if (atoms === undefined) throw new UpstreamFailed('the node does not know the stablecoins of its chain')
  return { balance: fromAtoms(atoms, decimals), raw: String(atoms) }
}

function heldOf(token: Address, [symbol, decimals, balance]: readonly Returned[]): TokenBalance {
  const atoms = uintOf(balance)
  const places = decimalsOf(decimals)
  return {
    token: shownAddress(token),
    symbol: textOf(symbol).text,
    decimals: places,
    balance: inUnits(atoms, places),
    raw: atoms === undefined ? null : String(atoms),
    error: atoms === undefined ? 'balanceOf() fails for this address, or it is no token' : null,
  }
}

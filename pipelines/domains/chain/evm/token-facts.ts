/** The facts of one token, and the warnings in its code and its name. */
import type { Address } from 'viem'
import { instant } from '../../../../schemas/values/values.ts'
import { knownToken, listedOn, twinOf, twinWarning } from '../known-tokens.ts'
import type { ChainRefused, ChainWarning, TokenFacts } from '../reader.ts'
import { type ContractCall, callOf } from './call.ts'
import { markets } from './chains/index.ts'
import { type Code, codeOf } from './code.ts'
import { type EvmBlock, look } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import { powersIn } from './powers.ts'
import { balanceCall, decimalsOf, inUnits, shownAddress, type TokenText, textOf, tokenCall } from './token.ts'
import { addressOf, type Returned, uintOf } from './words.ts'

const erc721 = `0x80ac58cd${'0'.repeat(56)}` as const
const nobody: Address = '0x0000000000000000000000000000000000000001'

/** The calls that read a token, and the meaning of their answers. They fit into a larger look. */
export const tokenCalls = (token: Address): ContractCall[] => [
  tokenCall(token, 'name'),
  tokenCall(token, 'symbol'),
  tokenCall(token, 'decimals'),
  tokenCall(token, 'totalSupply'),
  balanceCall(token, nobody),
  callOf(token, 'owner()'),
  callOf(token, 'getOwner()'),
  callOf(token, 'supportsInterface(bytes4)', erc721),
]

export interface EvmReadToken {
  name: TokenText
  symbol: TokenText
  decimals: number | null
  supply: bigint
  owner: Address | null
}

export function tokenIn(
  token: Address,
  returned: readonly Returned[],
): EvmReadToken | ChainRefused<'not_a_token'> {
  const [name, symbol, decimals, supply, balance, owner, getOwner, isNft] = returned
  const refuse = (why: string): ChainRefused<'not_a_token'> => ({
    refused: 'not_a_token',
    because: `${shownAddress(token)} ${why}`,
  })
  const total = uintOf(supply)
  if (uintOf(isNft) === 1n && uintOf(decimals) === undefined)
    return refuse('is a collection of NFTs (ERC-721), and no token with amounts')
  if (total === undefined || uintOf(balance) === undefined)
    return refuse('is no token: it does not answer totalSupply() and balanceOf()')
  return {
    name: textOf(name),
    symbol: textOf(symbol),
    decimals: decimalsOf(decimals),
    supply: total,
    owner: addressOf(owner) ?? addressOf(getOwner) ?? null,
  }
}

export async function tokenFacts(
  nodes: EvmNodes,
  token: Address,
): Promise<TokenFacts | ChainRefused<'not_a_token'>> {
  const { block, source, returned } = await look(nodes, tokenCalls(token))
  const read = tokenIn(token, returned)
  if ('refused' in read) return read
  const code = await codeOf(nodes, token, block)
  return {
    ...seen(nodes, block, source),
    ...factsOf(token, read, code),
    warnings: tokenWarnings(nodes, token, read, code),
  }
}

export const seen = ({ chain, now }: EvmNodes, { number }: EvmBlock, source: string) => ({
  chain,
  block: number,
  fetched_at: instant(now()),
  source,
  confirmed_by: null,
})

const factsOf = (
  token: Address,
  { name, symbol, decimals, supply, owner }: EvmReadToken,
  { delegates }: Code,
) => ({
  token: shownAddress(token),
  name: name.text,
  symbol: symbol.text,
  decimals,
  total_supply: inUnits(supply, decimals),
  total_supply_raw: String(supply),
  owner: owner && shownAddress(owner),
  is_proxy: delegates.length > 0,
  implementation: shownTarget(delegates),
})

const shownTarget = (delegates: Code['delegates']) => {
  const target = delegates.find(({ replaceable }) => replaceable) ?? delegates[0]
  return target ? shownAddress(target.address) : null
}

export function tokenWarnings(
  { chain }: EvmNodes,
  token: Address,
  { name, symbol, decimals, owner }: EvmReadToken,
  code: Code,
): ChainWarning[] {
  const found: ChainWarning[] = []
  if (name.odd || symbol.odd)
    found.push({
      code: 'odd_name',
      severity: 'caution',
      evidence: 'name() or symbol() returns nothing, too much, or characters that do not show',
    })
  if (decimals === null)
    found.push({
      code: 'no_decimals',
      severity: 'caution',
      evidence: 'decimals() returns no number up to 36',
    })
  const twin = twinOf(knownOn(chain), token, [name.text, symbol.text])
  if (twin) found.push(twinWarning(twin))
  found.push(...delegateWarnings(code))
  for (const { power, signature } of powersIn(code))
    found.push({
      code: power,
      severity: owner && power !== 'rebasing' ? 'caution' : 'info',
      evidence: `${signature} is in its code; its owner() is ${owner ? shownAddress(owner) : 'nobody, or not told'}`,
    })
  return found
}

/** One warning for those that can be replaced, and one for those that cannot. */
function delegateWarnings({ delegates }: Code): ChainWarning[] {
  const named = (replaceable: boolean) =>
    delegates.filter(each => each.replaceable === replaceable).map(({ address }) => shownAddress(address))
  const kind = delegates.find(({ replaceable }) => replaceable)?.kind
  const [open, fixed] = [named(true), named(false)]
  return [
    ...(open.length
      ? [
          {
            code: 'proxy' as const,
            severity: 'caution' as const,
            evidence: `it runs the code of ${open.join(', ')} (${kind}), which its storage names`,
          },
        ]
      : []),
    ...(fixed.length && !open.length
      ? [
          {
            code: 'clone' as const,
            severity: 'info' as const,
            evidence: `it runs the code of ${fixed.join(', ')} (${delegates[0]?.kind}), for good`,
          },
        ]
      : []),
  ]
}

const knownOn = (chain: EvmNodes['chain']) => [
  ...markets[chain].quotes.map(({ address, symbol }) => knownToken(address, symbol)),
  ...listedOn(chain),
]

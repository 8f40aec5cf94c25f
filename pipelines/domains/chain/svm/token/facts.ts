/** The facts of one token, from its mint and its metadata. */
import { fromAtoms } from '../../../../../schemas/tables/stablecoins.ts'
import { instant } from '../../../../../schemas/values/values.ts'
import { twinOf, twinWarning } from '../../known-tokens.ts'
import type { ChainRefused, ChainWarning, SeenAt, TokenFacts } from '../../reader.ts'
import { cleaned } from '../../text.ts'
import { NotThisLayout } from '../bytes.ts'
import { metadataOf } from '../derived-address.ts'
import { knownSymbol, knownTokens } from '../known-tokens.ts'
import { look, type SvmSight } from '../look.ts'
import type { SvmNodes } from '../nodes.ts'
import { metadataProgram, systemProgram } from '../programs.ts'
import { tokenAccount } from './account.ts'
import { metaplexMetadata, ownMetadata, type TokenMetadata } from './metadata.ts'
import { isOfTokenProgram, type Mint, mintIn } from './mint.ts'
import { mintWarnings } from './warnings.ts'

export interface SvmReadToken {
  address: string
  mint: Mint
  metadata: TokenMetadata | undefined
  name: string | null
  symbol: string | null
  isOddlyNamed: boolean
}

/** The accounts of a token's facts. They fit into a larger look. */
export const tokenAccounts = (token: string): string[] => [token, metadataOf(token)]

export function tokenIn(token: string, sight: SvmSight): SvmReadToken | ChainRefused<'not_a_token'> {
  const account = sight.account(token)
  const mint = account && readable(() => mintIn(account.program, account.data))
  if (!account || !mint) return { refused: 'not_a_token', because: `${token} ${whatItIs(account)}` }
  const metadata = ownMetadata(mint, token) ?? metaplexOf(token, sight)
  const [name, symbol] = [cleaned(metadata?.name ?? ''), cleaned(metadata?.symbol ?? '')]
  return {
    address: token,
    mint,
    metadata,
    name: name.text,
    symbol: symbol.text ?? knownSymbol(token) ?? null,
    isOddlyNamed: metadata !== undefined && (name.odd || symbol.odd),
  }
}

function metaplexOf(token: string, sight: SvmSight): TokenMetadata | undefined {
  const account = sight.account(metadataOf(token))
  return account?.program === metadataProgram
    ? readable(() => metaplexMetadata(account.data, token))
    : undefined
}

/** Undefined if the account does not have the expected layout: strangers fill accounts. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof NotThisLayout) return undefined
    throw error
  }
}

function whatItIs(account: ReturnType<SvmSight['account']>): string {
  if (!account) return 'is no token: there is no account at this address'
  if (account.executable) return 'is a program, and no token'
  const held = isOfTokenProgram(account.program) ? readable(() => tokenAccount(account.data)) : undefined
  if (held)
    return `is an account in which ${held.owner} holds a token, and no token: its token is ${held.mint}`
  if (account.program === systemProgram) return 'is a wallet, and no token'
  return `is an account of the program ${account.program}, and no token`
}

export async function tokenFacts(
  nodes: SvmNodes,
  token: string,
): Promise<TokenFacts | ChainRefused<'not_a_token'>> {
  const sight = await look(nodes, tokenAccounts(token))
  const read = tokenIn(token, sight)
  if ('refused' in read) return read
  const { mint, metadata, name, symbol } = read
  return {
    ...seen(nodes, sight),
    token,
    name,
    symbol,
    decimals: mint.decimals,
    total_supply: fromAtoms(mint.supply, mint.decimals),
    total_supply_raw: String(mint.supply),
    warnings: tokenWarnings(read, sight),
    mint_authority: mint.mintAuthority,
    freeze_authority: mint.freezeAuthority,
    token_program: mint.program,
    extensions: mint.extensions.map(({ name }) => name),
    metadata: metadata
      ? {
          uri: cleaned(metadata.uri).text,
          update_authority: metadata.updateAuthority,
          is_mutable: metadata.isMutable,
        }
      : null,
  }
}

export const seen = ({ chain, now }: SvmNodes, { clock, source }: SvmSight): SeenAt => ({
  chain,
  block: clock.slot,
  fetched_at: instant(now()),
  source,
  confirmed_by: null,
})

export function tokenWarnings(read: SvmReadToken, { clock }: SvmSight): ChainWarning[] {
  const { address, mint, metadata, name, symbol, isOddlyNamed } = read
  const found = mintWarnings(mint, metadata, clock.epoch)
  const twin = twinOf(knownTokens, address, [name, symbol])
  if (twin) found.unshift(twinWarning(twin))
  if (isOddlyNamed)
    found.push({
      code: 'odd_name',
      severity: 'caution',
      evidence: 'its name or symbol is empty, too long, or has characters that do not show',
    })
  return found
}

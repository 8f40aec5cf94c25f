/** Reads the name of a token: from the account of Metaplex, or from the mint itself. */
import { withoutEnd } from '../../../../../schemas/values/text-end.ts'
import type { Bytes } from '../bytes.ts'
import { extension } from './extensions.ts'
import type { Mint } from './mint.ts'

export interface TokenMetadata {
  name: string
  symbol: string
  uri: string
  updateAuthority: string | null
  isMutable: boolean
  from: 'metaplex' | 'token-2022'
}

const metadataV1 = 4
const creatorBytes = 34

/** Undefined if this is not metadata of that mint. */
export function metaplexMetadata(data: Bytes, mint: string): TokenMetadata | undefined {
  if (data.u8(0) !== metadataV1 || data.key(33) !== mint) return undefined
  const name = data.text(65)
  const symbol = data.text(name.end)
  const uri = data.text(symbol.end)
  // After the texts: a fee of two bytes, the creators if there are any, and whether it was sold.
  const creators = uri.end + 2
  const counted = data.flag(creators) ? 5 + data.u32(creators + 1) * creatorBytes : 1
  return {
    name: unpadded(name.text),
    symbol: unpadded(symbol.text),
    uri: unpadded(uri.text),
    updateAuthority: data.keyOrNull(1),
    isMutable: data.flag(creators + counted + 1),
    from: 'metaplex',
  }
}

/** Undefined if the mint holds no metadata. A mint may describe only itself, never another mint. */
export function ownMetadata({ extensions }: Mint, mint: string): TokenMetadata | undefined {
  const held = extension(extensions, 'token_metadata')
  if (!held || held.mint !== mint) return undefined
  return {
    name: held.tokenName,
    symbol: held.symbol,
    uri: held.uri,
    updateAuthority: held.updateAuthority,
    isMutable: held.updateAuthority !== null,
    from: 'token-2022',
  }
}

/** Metaplex fills its texts with zeros. */
const unpadded = (text: string): string => withoutEnd(text, '\0')

/** Reads a mint of SPL Token and of Token-2022. */
import type { Bytes } from '../bytes.ts'
import { token2022Program, tokenProgram } from '../programs.ts'
import { kind } from './account.ts'
import { type Extension, extensionsIn } from './extensions.ts'

export interface Mint {
  program: 'spl-token' | 'token-2022'
  decimals: number
  supply: bigint
  mintAuthority: string | null
  freezeAuthority: string | null
  extensions: Extension[]
}

const bytes = 82
const tokenPrograms: Record<string, Mint['program']> = {
  [tokenProgram]: 'spl-token',
  [token2022Program]: 'token-2022',
}

export const isOfTokenProgram = (owner: string): boolean => tokenPrograms[owner] !== undefined

/** Undefined if the account is not a mint. */
export function mintIn(owner: string, data: Bytes): Mint | undefined {
  const program = tokenPrograms[owner]
  const extended = data.length > kind.at
  if (!program || (extended ? data.u8(kind.at) !== kind.mint : data.length !== bytes)) return undefined
  if (extended && program === 'spl-token') return undefined
  if (!data.flag(45)) return undefined
  return {
    program,
    mintAuthority: data.optionalKey(0),
    supply: data.u64(36),
    decimals: data.u8(44),
    freezeAuthority: data.optionalKey(46),
    extensions: extended ? extensionsIn(data, kind.at + 1) : [],
  }
}

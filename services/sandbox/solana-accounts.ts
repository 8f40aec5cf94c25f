/** Answers the calls that read accounts. */
import { getBase58Encoder } from '@solana/kit'
import { accountJson, amountJson } from './solana-json.ts'
import { addressOf, type Methods, RpcError, withContext } from './solana-reply.ts'
import { isTokenData, tokenAmount, tokenMint, tokenOwner, tokenProgram } from './solana-token.ts'

/** The same as on mainnet. */
const mostAccounts = 100

export const accountMethods: Methods = {
  getAccountInfo: (chain, [at]) => withContext(chain, accountJson(chain.account(addressOf(at)))),
  getMultipleAccounts: (chain, [list, options]) => {
    const addresses = list as unknown[]
    if (addresses.length > mostAccounts)
      throw new RpcError(-32602, `Too many inputs provided; max ${mostAccounts}`)
    const { minContextSlot = 0, encoding } = (options ?? {}) as { minContextSlot?: number; encoding?: string }
    if (chain.slot < BigInt(minContextSlot))
      throw new RpcError(-32016, 'Minimum context slot has not been reached')
    return withContext(
      chain,
      addresses.map(at => accountJson(chain.account(addressOf(at)), encoding)),
    )
  },
  getTokenAccountsByOwner: (chain, [owner, filter]) => {
    const { programId = tokenProgram, mint } = (filter ?? {}) as { programId?: string; mint?: string }
    const held = chain.addressesOf(addressOf(programId)).flatMap(pubkey => {
      const account = chain.account(pubkey)
      if (!account || !isTokenData(account.data) || tokenOwner(account.data) !== owner) return []
      return mint === undefined || tokenMint(account.data) === mint
        ? [{ pubkey, account: accountJson(account) }]
        : []
    })
    return withContext(chain, held)
  },
  getProgramAccounts: (chain, [program, options]) => {
    const { filters = [], encoding } = (options ?? {}) as { filters?: Filter[]; encoding?: string }
    return chain.addressesOf(addressOf(program)).flatMap(pubkey => {
      const account = chain.account(pubkey)
      if (!account || !filters.every(filter => fits(account.data, filter))) return []
      return [{ pubkey, account: accountJson(account, encoding) }]
    })
  },
  getTokenAccountBalance: (chain, [at]) => {
    const account = chain.account(addressOf(at))
    if (!account) throw new RpcError(-32602, 'Invalid param: could not find account')
    return withContext(chain, amountJson(tokenAmount(account.data)))
  },
}

type Filter = { dataSize: number } | { memcmp: { offset: number; bytes: string } }

function fits(data: Uint8Array, filter: Filter): boolean {
  if ('dataSize' in filter) return data.length === filter.dataSize
  const { offset, bytes } = filter.memcmp
  const wanted = getBase58Encoder().encode(bytes) as Uint8Array
  return Buffer.from(wanted).equals(data.subarray(offset, offset + wanted.length))
}

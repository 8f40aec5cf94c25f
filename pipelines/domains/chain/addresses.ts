/** Decides whether a text is an address, or a transaction, on a chain. It asks no node. */
import { type ChainName, chains, isEvmChain } from '../../../schemas/tables/chains.ts'
import { families } from '../../../schemas/tables/networks.ts'
import { evmAddress } from './evm/address.ts'
import type { ChainRefused } from './reader.ts'
import { svmAddress } from './svm/address.ts'

/** The address in its one canonical form, or the reason why it is not one on this chain. */
export function addressOn(chain: ChainName, text: string): string | ChainRefused<'invalid_address'> {
  const { family, title } = chains[chain]
  const other = family === 'evm' ? families.svm : families.evm
  const looksLike = looksOf(text, family)
  if (looksLike) return invalid(`${shown(text)} ${looksLike}`)
  const read = family === 'evm' ? evmAddress(text) : svmAddress(text)
  if ('address' in read) return read.address
  if (other.address.test(text))
    return invalid(
      `${shown(text)} looks like ${other.addressWords}, and an address on ${title} is ${families[family].addressWords}`,
    )
  return invalid(`${shown(text)} is no address on ${title}: ${read.wrong}`)
}

/** The transaction's hash in lower case, on Solana its first signature. A text of another form was never sent. */
export function transactionOn(chain: ChainName, text: string): string | ChainRefused<'unknown_transaction'> {
  const { family, title } = chains[chain]
  if (families[family].transaction.test(text)) return isEvmChain(chain) ? text.toLowerCase() : text
  const what = family === 'evm' ? '0x and 64 hex digits' : 'a signature of 64 to 88 characters in base58'
  const other = family === 'evm' ? families.svm : families.evm
  const seems = families[family].address.test(text)
    ? ', and this is an address'
    : other.transaction.test(text)
      ? `, and this looks like a transaction of ${family === 'evm' ? 'Solana' : 'an EVM chain'}`
      : ''
  return {
    refused: 'unknown_transaction',
    because: `${shown(text)} is no transaction on ${title}: it should be ${what}${seems}`,
  }
}

function looksOf(text: string, family: keyof typeof families): string | undefined {
  if (family === 'evm' && families.evm.transaction.test(text))
    return 'has 64 hex digits: that is a transaction, a block or the id of a v4 pool, and no address'
  if (family === 'svm' && text.length >= 64 && families.svm.transaction.test(text))
    return 'is a signature of a transaction, and no address'
  return undefined
}

const invalid = (because: string): ChainRefused<'invalid_address'> => ({
  refused: 'invalid_address',
  because,
})

/** A caller may write anything. A message repeats only its beginning. */
const shown = (text: string): string => JSON.stringify(text.length > 90 ? `${text.slice(0, 90)}…` : text)

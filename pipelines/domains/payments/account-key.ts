/** The key of an account of ours on a network: its form for operators, and its address. */
import { type NetworkName, networkNames, networks } from '../../../schemas/tables/networks.ts'
import { isKey, keyWords } from '../../rails/environment/kinds.ts'
import { evmAccountOf } from './evm/sender.ts'
import { feePayerOf } from './svm/sponsored.ts'

const kinds = {
  evm: {
    fits: isKey,
    words: keyWords,
    addressOf: (key: string) => evmAccountOf(key).address.toLowerCase(),
  },
  svm: {
    fits: (key: string) => feePayerOf(key) !== undefined,
    words: 'a key of 64 bytes in base58',
    addressOf: (key: string) => feePayerOf(key)?.address ?? '',
  },
}

/** The form of a variable that holds one key. If networks share it, the main network, which comes first, names it. */
export function keyFormOf(variable: string, variableOf: (name: NetworkName) => string) {
  const { family, title } =
    networks[networkNames.find(name => variableOf(name) === variable) ?? networkNames[0]]
  return { ...kinds[family], title }
}

/** As settlements have it: an EVM address in small letters. */
export const addressOfKey = (name: NetworkName, key: string): string =>
  kinds[networks[name].family].addressOf(key)

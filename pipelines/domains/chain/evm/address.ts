/** EVM addresses: 20 bytes in hex, with a checksum in the case of the letters. */
import { getAddress, isAddress } from 'viem'
import { families } from '../../../../schemas/tables/networks.ts'

/** Without a checksum, all letters have one case. With one, a wrong letter is found. */
export function evmAddress(text: string): { address: string } | { wrong: string } {
  if (!families.evm.address.test(text)) return { wrong: `it should be ${families.evm.addressWords}` }
  const digits = text.slice(2)
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  if (hasChecksum && !isAddress(text))
    return {
      wrong: 'its checksum is wrong, so a digit is mistyped; without a checksum, all letters are small',
    }
  return { address: getAddress(text.toLowerCase()) }
}

/** Writes the account that holds the name of a token for Metaplex. */
import { address, getAddressEncoder } from '@solana/kit'

const metadataV1 = 4
/** Metaplex fills its texts with zeros to these lengths. */
const [nameBytes, symbolBytes, uriBytes] = [32, 10, 200]

export function metadataData(mint: string, name: string, symbol: string, isMutable = false): Uint8Array {
  const text = (value: string, bytes: number) => {
    const data = Buffer.alloc(4 + bytes)
    data.writeUInt32LE(bytes)
    data.write(value.slice(0, bytes), 4)
    return data
  }
  const noCreators = Buffer.alloc(3)
  const unsold = Buffer.from([0, Number(isMutable)])
  return Buffer.concat([
    Buffer.from([metadataV1]),
    Buffer.alloc(32),
    getAddressEncoder().encode(address(mint)) as Uint8Array,
    text(name, nameBytes),
    text(symbol, symbolBytes),
    text('', uriBytes),
    noCreators,
    unsold,
  ])
}

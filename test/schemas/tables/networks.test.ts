import { encodeAbiParameters, keccak256, parseAbiParameters, toBytes } from 'viem'
import { describe, expect, it } from 'vitest'
import { type EvmNetworkName, isEvm, networkNames, networks } from '../../../schemas/tables/networks.ts'
import { caip2, isTestnet, stablecoinDecimals } from '../../../schemas/tables/stablecoins.ts'

/** The answer of DOMAIN_SEPARATOR() of each USDC on its chain. */
const onChain: Record<EvmNetworkName, string> = {
  base: '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f',
  'base-sepolia': '0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818',
  polygon: '0xcaa2ce1a5703ccbe253a34eb3166df60a705c561b44b192061e28f2a985be2ca',
  'polygon-amoy': '0x5cddc98319864e897e4469bd1d13c2288c677047b54b8cca12bd342adb6be9eb',
  arbitrum: '0x08d11903f8419e68b1b8721bcbe2e9fc68569122a77ef18c216f10b3b5112c78',
  avalanche: '0xbbea200329a938bc3438984a49cb0732e66d66d7bd59c127abacc1710e77f7b3',
}
const words = parseAbiParameters('bytes32, bytes32, bytes32, uint256, address')
const hashed = (text: string) => keccak256(toBytes(text))
const domainType = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'

describe('the table of networks', () => {
  it.each(networkNames.filter(isEvm))('signs for the USDC contract of %s', name => {
    const { domain, caip2, asset } = networks[name]
    const chainId = BigInt(caip2.split(':')[1] as string)
    const parts = [hashed(domainType), hashed(domain.name), hashed(domain.version), chainId, asset] as const
    expect(keccak256(encodeAbiParameters(words, parts))).toBe(onChain[name])
  })

  it('distinguishes networks', () => {
    const rows = Object.values(networks)
    expect(new Set(rows.map(row => row.caip2)).size).toBe(rows.length)
    const main = rows.filter(({ testnet }) => !testnet)
    expect(new Set(main.map(({ receipt }) => receipt)).size).toBe(main.length)
    expect(new Set(main.map(({ payTo }) => payTo)).size).toBe(main.length)
    expect(new Set(main.map(({ rpc }) => rpc)).size).toBe(main.length)
  })

  it.each(networkNames)('reads the name %s as catalogs mean it', name => {
    const row = networks[name]
    expect(caip2(name)).toBe(row.caip2)
    expect(isTestnet(row.caip2)).toBe(row.testnet)
    expect(stablecoinDecimals(row.caip2, row.asset)).toBe(row.testnet ? undefined : row.decimals)
  })
})

it('finds no network under the name of a built-in property', () => {
  expect(caip2('constructor')).toBe('constructor')
  expect(stablecoinDecimals('toString', '')).toBeUndefined()
})

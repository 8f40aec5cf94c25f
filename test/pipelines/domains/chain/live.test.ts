/** Compares the tables' data about each chain with the chain itself. It runs if the variable names a live node. */
import { createPublicClient, erc20Abi, type Hex, http, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { markets } from '../../../../pipelines/domains/chain/evm/chains/index.ts'
import { multicall3 } from '../../../../pipelines/domains/chain/evm/look.ts'
import { listedOn } from '../../../../pipelines/domains/chain/known-tokens.ts'
import { likeness } from '../../../../pipelines/domains/chain/text.ts'
import { chainNames, chains, isEvmChain } from '../../../../schemas/tables/chains.ts'

const routerAbi = parseAbi(['function factory() view returns (address)'])

describe.each(chainNames.filter(isEvmChain))('%s', name => {
  const url = process.env[`LIVE_${chains[name].rpc}`]
  const { wrapped, quotes, factories } = markets[name]

  it.skipIf(!url)(
    'has a contract at every address, and the tokens have the symbols of the table',
    async () => {
      const client = createPublicClient({ transport: http(url) })
      expect(await client.getChainId()).toBe(chains[name].chainId)
      for (const address of [
        wrapped,
        multicall3,
        ...factories.flatMap(({ address, router }) => [address, router]),
      ])
        expect(await client.getCode({ address }), address).toBeDefined()
      for (const { kind, address, router } of factories)
        if (kind === 'uniswap_v2' || kind === 'uniswap_v3')
          expect(
            await client.readContract({ address: router, abi: routerAbi, functionName: 'factory' }),
          ).toBe(address)
      const read = (address: Hex, functionName: 'symbol' | 'decimals') =>
        client.readContract({ address, abi: erc20Abi, functionName })
      for (const { address, symbol, decimals } of quotes) {
        expect(await read(address, 'symbol'), address).toMatch(new RegExp(`^${symbol}`, 'i'))
        expect(await read(address, 'decimals'), address).toBe(decimals)
      }
      for (const { address, symbol } of listedOn(name))
        expect(likeness((await read(address as Hex, 'symbol')) as string), address).toBe(likeness(symbol))
    },
  )
})

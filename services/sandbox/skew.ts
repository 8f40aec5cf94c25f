/** `npm run call -- skew`: somebody buys so much of the play token that its pool tells another price. */
import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { markets } from '../../pipelines/domains/chain/evm/chains/index.ts'
import { spanOf } from '../../pipelines/domains/chain/evm/past.ts'
import { networks } from '../../schemas/tables/networks.ts'
import { chainCheckExample } from '../origins/chain/examples.ts'
import { evmClient } from './evm-chain.ts'
import type { Note } from './note.ts'

const abi = parseAbi([
  'function mint(address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 least, address[] path, address to, uint256 deadline)',
])
const network = 'base'
const token = chainCheckExample.request.token as Address
/** Twice what the pool has at first: its price grows to nine times. */
const spent = 4_000_000_000_000n
const forever = 2n ** 40n

interface Skewed {
  token: Address
  /** For so many blocks its price is told with the warning `skewed`. */
  blocks: number
}

export async function skew({ chains }: Pick<Note, 'chains'>): Promise<Skewed> {
  const at = chains.find(each => each.network === network)
  const router = markets[network].factories.find(({ kind }) => kind === 'uniswap_v2')?.router
  if (!at || !router) throw new Error(`the sandbox does not run ${network}`)
  const client = evmClient(network, at.rpcUrl, 'payTo')
  const [me, usdc] = [client.account.address, networks[network].asset]
  const send = async (to: Address, data: Hex) => {
    const hash = await client.sendTransaction({ to, data, gas: 1_000_000n } as never)
    const { status } = await client.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error(`the purchase failed: ${hash}`)
  }
  await send(usdc, encodeFunctionData({ abi, functionName: 'mint', args: [me, spent] }))
  await send(usdc, encodeFunctionData({ abi, functionName: 'approve', args: [router, spent] }))
  const args = [spent, 0n, [usdc, token], me, forever] as const
  await send(router, encodeFunctionData({ abi, functionName: 'swapExactTokensForTokens', args }))
  return { token, blocks: spanOf(network) }
}

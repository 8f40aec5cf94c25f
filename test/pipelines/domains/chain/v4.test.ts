import { zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { rootIn, v4Id, v4Key } from '../../../../pipelines/domains/chain/evm/v4.ts'
import { chains } from '../../../../schemas/tables/chains.ts'

it('a pool of Uniswap v4 has its id from mainnet: native coin and USDC at 0.05 %, without hooks', () => {
  const { usdc } = chains.ethereum
  const id = '0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27'
  expect(v4Id(v4Key(usdc, zeroAddress, 500, 10))).toBe(id)
  expect(v4Id(v4Key(zeroAddress, usdc, 500, 10))).toBe(id)
  expect(v4Id(v4Key(zeroAddress, usdc, 3000, 60))).not.toBe(id)
})

it('the price is in the lowest 160 bits of its first word', () => {
  expect(rootIn((7n << 160n) + 5n)).toBe(5n)
})

import { encodeFunctionData, parseAbi, toFunctionSelector } from 'viem'
import { expect, it } from 'vitest'
import { aggregated, callOf } from '../../../../pipelines/domains/chain/evm/call.ts'
import { multicall3 } from '../../../../pipelines/domains/chain/evm/look.ts'
import { chains } from '../../../../schemas/tables/chains.ts'

const { usdc } = chains.base
const abi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'function aggregate3(Call3[] calls)',
  'function getPool(address a, address b, int24 spacing)',
  'function getFee(address pool, bool stable)',
  'function extsload(bytes32 slot)',
  'function supportsInterface(bytes4 id)',
  'function observe(uint32[] secondsAgos)',
])

it.each([
  ['getPool(address,address,int24)', 'getPool', [usdc, multicall3, -200], undefined],
  ['getFee(address,bool)', 'getFee', [usdc, true], undefined],
  ['extsload(bytes32)', 'extsload', [`0x${'ab'.repeat(32)}`], undefined],
  ['supportsInterface(bytes4)', 'supportsInterface', ['0x80ac58cd'], [`0x80ac58cd${'0'.repeat(56)}`]],
  ['observe(uint32[])', 'observe', [[1800, 0]], [32, 2, 1800, 0]],
] as const)('%s is encoded as viem encodes it', (signature, functionName, args, words) => {
  const ours = callOf(usdc, signature, ...((words ?? args) as readonly number[]))
  expect(ours).toEqual({ to: usdc, data: encodeFunctionData({ abi, functionName, args } as never) })
})

it('many calls are encoded as viem encodes them, whatever their lengths', () => {
  const calls = [0, 4, 31, 32, 33, 100].map(
    (length, i) => ({ to: i % 2 ? usdc : multicall3, data: `0x${'c7'.repeat(length)}` }) as const,
  )
  const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))] as const
  expect(aggregated(calls)).toBe(encodeFunctionData({ abi, functionName: 'aggregate3', args }))
  expect(aggregated([]).slice(0, 10)).toBe(toFunctionSelector('aggregate3((address,bool,bytes)[])'))
})

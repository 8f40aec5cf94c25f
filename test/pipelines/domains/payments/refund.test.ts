/** Which transfer of a transaction paid a sale. */
import { encodeAbiParameters, encodeEventTopics, parseAbi, type RpcTransactionReceipt } from 'viem'
import { expect, it } from 'vitest'
import { paymentIn } from '../../../../pipelines/domains/payments/evm/refund.ts'
import { paymentAmong } from '../../../../pipelines/domains/payments/svm/refund.ts'

const asset = `0x${'11'.repeat(20)}` as const
const [payer, payTo, other] = [
  `0x${'22'.repeat(20)}`,
  `0x${'33'.repeat(20)}`,
  `0x${'44'.repeat(20)}`,
] as const
const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])
const sale = { payer, payTo, amount: 2000n, tx: `0x${'55'.repeat(32)}`, position: null as number | null }

const moved = (at: number, from: `0x${string}`, to: `0x${string}`, value: bigint, token: string = asset) => ({
  ...{ address: token, logIndex: `0x${at.toString(16)}`, blockNumber: '0x1', transactionIndex: '0x0' },
  topics: encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to } }),
  data: encodeAbiParameters([{ type: 'uint256' }], [value]),
})
const receipt = (logs: object[], status = '0x1') => ({ status, logs }) as unknown as RpcTransactionReceipt

it.each([
  ['its own', [moved(7, payer, payTo, 2000n)], null, { position: 7 }],
  ['another payer', [moved(7, other, payTo, 2000n)], null, 'unpaid'],
  ['another payee', [moved(7, payer, other, 2000n)], null, 'unpaid'],
  ['another amount', [moved(7, payer, payTo, 1999n)], null, 'unpaid'],
  ['another token', [moved(7, payer, payTo, 2000n, other)], null, 'unpaid'],
  ['two alike', [moved(7, payer, payTo, 2000n), moved(9, payer, payTo, 2000n)], null, 'several'],
  [
    'two alike, told apart',
    [moved(7, payer, payTo, 2000n), moved(9, payer, payTo, 2000n)],
    9,
    { position: 9 },
  ],
  ['another place', [moved(7, payer, payTo, 2000n)], 8, 'unpaid'],
  ['none', [], null, 'unpaid'],
] as const)('on EVM: %s', (_, logs, position, said) => {
  expect(paymentIn(receipt([...logs]), { ...sale, position }, asset)).toEqual(said)
  expect(paymentIn(receipt([...logs], '0x0'), { ...sale, position }, asset)).toBe('unpaid')
})

it('on Solana', () => {
  const own = { payer, payTo, amount: 2000n, position: 2 } as never
  expect(paymentAmong([own], sale)).toEqual({ position: 2 })
  expect(paymentAmong([], sale)).toBe('unpaid')
  expect(paymentAmong([own, own], sale)).toBe('several')
  for (const wrong of [{ payer: other }, { payTo: other }, { amount: 1n }])
    expect(paymentAmong([{ ...(own as object), ...wrong } as never], sale)).toBe('unpaid')
})

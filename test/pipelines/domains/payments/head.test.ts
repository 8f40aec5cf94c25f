/** Nodes that tell nonsense of their heads. What is final would be held against it for good. */
import { json } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { EvmReader } from '../../../../pipelines/domains/payments/evm/reader.ts'
import { EvmStanding } from '../../../../pipelines/domains/payments/evm/standing.ts'
import { openSvmReader } from '../../../../pipelines/domains/payments/svm/reader.ts'
import { openSvmStanding } from '../../../../pipelines/domains/payments/svm/standing.ts'
import { startUpstream } from '../../../upstream.ts'

/** A node that says this to each method. */
async function nodeOf(said: Record<string, unknown>) {
  const { url } = await startUpstream(async (request, response) => {
    const { id, method } = (await json(request)) as { id: number; method: string }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: said[method] }))
  })
  return { rpcUrls: [url], perSecond: 1000 }
}

const { signal } = new AbortController()
const block = { number: '0x10', hash: `0x${'1'.repeat(64)}`, timestamp: '0x20', transactions: [] }
const ofEvm = async (said: object) => {
  const node = await nodeOf({ eth_getBlockByNumber: { ...block, ...said } })
  return new EvmStanding(new EvmReader({ network: 'base', ...node })).look(signal)
}
const ofSvm = async (getSlot: unknown, getBlockTime: unknown) =>
  openSvmStanding(openSvmReader({ network: 'solana', ...(await nodeOf({ getSlot, getBlockTime })) })).look(
    signal,
  )

it('takes the time of a block, and of a slot', async () => {
  expect(await ofEvm({})).toMatchObject({ finalMs: 32_000, safeMs: 32_000 })
  expect(await ofSvm(5, 32)).toMatchObject({ finalMs: 32_000, safeMs: 32_000 })
})

it.each([
  ['no time', { timestamp: null }],
  ['a time that no date has', { timestamp: `0x${'f'.repeat(30)}` }],
  ['the year 1970 as its time', { timestamp: '0x0' }],
  ['no number', { number: null }],
  ['no hash', { hash: null }],
])('calls no sale final by a block with %s', async (_, said) => {
  await expect(ofEvm(said)).rejects.toThrow('a block without number, hash or time')
})

it.each([
  ['a word as its time', 5, 'soon'],
  ['null as its time', 5, null],
  ['the year 1970 as its time', 5, 0],
  ['a time that no date has', 5, 1e300],
  ['no number', 'five', 32],
])('calls no sale final by a slot with %s', async (_, slot, time) => {
  await expect(ofSvm(slot, time)).rejects.toThrow('a slot without time')
})

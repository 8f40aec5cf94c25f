import { randomBytes } from 'node:crypto'
import { authorizationTypes } from '@x402/evm'
import { createTestClient, type Hex, http, parseAbi, parseSignature } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Authorization } from '../../../../../pipelines/domains/payments/evm/authorization.ts'
import { type EvmFinder, openEvmFinder } from '../../../../../pipelines/domains/payments/evm/finder.ts'
import { networks } from '../../../../../schemas/tables/networks.ts'
import { evmClient, startEvmChain } from '../../../../../services/sandbox/evm-chain.ts'
import type { PlayChain } from '../../../../../services/sandbox/play-chain.ts'
import { until } from '../../../../until.ts'
import { startNode } from '../rpc-node.ts'

const { asset, domain } = networks.base
const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const types = {
  ...authorizationTypes,
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const
const signing = { domain: { ...domain, chainId: 8453, verifyingContract: asset }, types } as const

let chain: PlayChain
let finder: EvmFinder
let payer: ReturnType<typeof evmClient>
let operator: ReturnType<typeof evmClient>

beforeAll(async () => {
  chain = await startEvmChain('base')
  finder = openEvmFinder({ network: 'base', rpcUrls: ['http://127.0.0.1:9', chain.rpcUrl], now: Date.now })
  payer = evmClient('base', chain.rpcUrl, 'payer')
  operator = evmClient('base', chain.rpcUrl, 'facilitator')
})
afterAll(() => chain.close())

/** Only the clock of the chain counts. */
async function authorize(lifeSeconds: bigint) {
  const { timestamp } = await payer.getBlock()
  const nonce: Hex = `0x${randomBytes(32).toString('hex')}`
  const message = {
    from: payer.account.address,
    to: chain.payTo as Hex,
    value: 2000n,
    validAfter: 0n,
    validBefore: timestamp + lifeSeconds,
    nonce,
  }
  const signature = await payer.signTypedData({
    ...signing,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const { r, s, yParity } = parseSignature(signature)
  const settle = async () => {
    const { from, to, value, validAfter, validBefore } = message
    const hash = await operator.writeContract({
      address: asset,
      abi,
      functionName: 'transferWithAuthorization',
      args: [from, to, value, validAfter, validBefore, nonce, 27 + yParity, r, s],
    })
    await operator.waitForTransactionReceipt({ hash })
    return hash
  }
  const asked = {
    from: message.from,
    to: message.to,
    value: '2000',
    nonce,
    valid_before: Number(message.validBefore),
  }
  return { asked, settle }
}
const look = (asked: Authorization) => finder.find(asked, Date.now())

it('a transfer: not seen while it may still come, then found by its transaction', async () => {
  const { asked, settle } = await authorize(60n)
  expect(await look(asked)).toEqual({ found: false, final: false, reason: 'not_seen' })
  const tx = await settle()
  expect(await look(asked)).toEqual({ found: true, tx, position: 1 })
  expect(await finder.find(asked, Date.now() - 86_400_000)).toEqual({ found: true, tx, position: 1 })
})

it('a transfer of another amount or to another payee is not the payment', async () => {
  const { asked, settle } = await authorize(60n)
  await settle()
  const elsewhere = { found: false, final: true, reason: 'spent_elsewhere' }
  expect(await look({ ...asked, value: '2001' })).toEqual(elsewhere)
  expect(await look({ ...asked, to: asked.from })).toEqual(elsewhere)
})

it('an authorization that has expired on the chain is dead', async () => {
  const { asked } = await authorize(2n)
  await until(async () => (await payer.getBlock()).timestamp > asked.valid_before, 'a later block')
  expect(await look(asked)).toEqual({ found: false, final: true, reason: 'expired' })
})

it('a cancelled one looks used, but is not a payment', async () => {
  const { asked } = await authorize(60n)
  const message = { authorizer: payer.account.address, nonce: asked.nonce as Hex }
  const signature = await payer.signTypedData({ ...signing, primaryType: 'CancelAuthorization', message })
  const { r, s, yParity } = parseSignature(signature)
  const hash = await operator.writeContract({
    address: asset,
    abi,
    functionName: 'cancelAuthorization',
    args: [message.authorizer, message.nonce, 27 + yParity, r, s],
  })
  await operator.waitForTransactionReceipt({ hash })
  expect(await look(asked)).toEqual({ found: false, final: true, reason: 'cancelled' })
})

it('a node whose logs are behind proves nothing, however late it is; another node decides', async () => {
  const { asked, settle } = await authorize(2n)
  const tx = await settle()
  const node = await startNode(chain.rpcUrl)
  node.state.alter = ({ method }, result) => (method === 'eth_getLogs' ? [] : result)
  await until(async () => (await payer.getBlock()).timestamp > asked.valid_before, 'a later block')
  const late = { ...asked, valid_before: asked.valid_before - 600 }
  const behind = openEvmFinder({ network: 'base', rpcUrls: [node.url], now: Date.now })
  expect(await behind.find(late, Date.now())).toEqual({ found: false, final: false, reason: 'use_not_shown' })
  const both = openEvmFinder({ network: 'base', rpcUrls: [node.url, chain.rpcUrl], now: Date.now })
  expect(await both.find(late, Date.now())).toEqual({ found: true, tx, position: 1 })
})

it.each([10, 1])(
  'asks a node that gives %i blocks at once for that many, in looks that end',
  async mostBlocks => {
    const { asked, settle } = await authorize(60n)
    const tx = await settle()
    const since = Date.now() - 86_400_000
    const node = await startNode(chain.rpcUrl)
    node.state.mostBlocks = mostBlocks
    const patient = openEvmFinder({ network: 'base', rpcUrls: [node.url], now: Date.now })
    const { number } = await payer.getBlock()
    for (let looks = 0n; ; looks++) {
      const said = await patient.find(asked, since)
      expect(node.asked().filter(method => method === 'eth_getLogs').length).toBeLessThan(80)
      if (said.found) {
        expect(said).toMatchObject({ tx })
        break
      }
      expect(said).toEqual({ found: false, final: false, reason: 'still_reading' })
      expect(looks).toBeLessThan(number)
    }
  },
)

it('names the host that does not answer, and no other part of its address', async () => {
  const { asked } = await authorize(60n)
  const gone = openEvmFinder({
    network: 'base',
    rpcUrls: ['http://127.0.0.1:9/v2/a-secret-key'],
    now: Date.now,
  })
  await expect(gone.find(asked, Date.now())).rejects.toThrow(/^no base node answers: 127\.0\.0\.1:9: /)
  await expect(gone.find(asked, Date.now())).rejects.not.toThrow(/secret/)
})

it('tells a contract from a key', async () => {
  expect(await finder.isContract(asset)).toBe(true)
  expect(await finder.isContract(payer.account.address)).toBe(false)
})

it('rejects, and does not guess, if no node answers', async () => {
  const { asked } = await authorize(60n)
  const nobody = openEvmFinder({ network: 'base', rpcUrls: ['http://127.0.0.1:9'], now: Date.now })
  await expect(nobody.find(asked, Date.now())).rejects.toThrow()
  await expect(nobody.isContract(asked.from)).rejects.toThrow()
})

describe('a use from before the promise', () => {
  const minutesMs = 10 * 60_000
  const later = (aheadMs: number, rpcUrls = [chain.rpcUrl]) =>
    openEvmFinder({ network: 'base', rpcUrls, now: () => Date.now() + aheadMs })

  it('is our settlement if only our clock is ahead', async () => {
    const { asked, settle } = await authorize(60n)
    const tx = await settle()
    const since = Date.now() + minutesMs
    expect(await later(minutesMs).find(asked, since)).toMatchObject({ found: true, tx, position: 1 })
    // The clock was corrected in between.
    expect(await finder.find(asked, since)).toMatchObject({ found: true, tx, position: 1 })
  })

  it('settled another purchase', async () => {
    const { asked, settle } = await authorize(60n)
    const tx = await settle()
    const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) })
    await node.mine({ blocks: 290, interval: 2 })
    const before = { found: false, final: true, reason: 'spent_before' }
    const promisedMs = Number((await payer.getBlock()).timestamp) * 1000
    const aheadMs = promisedMs - Date.now()
    expect(await later(aheadMs).find(asked, promisedMs)).toEqual(before)
    expect(await later(aheadMs).find(asked, promisedMs, tx)).toEqual(before)
    // A node without the state of that time shows no use since then. Nobody guesses.
    const forgetful = await startNode(chain.rpcUrl)
    let states = 0
    forgetful.state.alter = ({ method }, result) => (method === 'eth_call' && states++ % 2 ? '0x' : result)
    const unsure = await later(aheadMs, [forgetful.url]).find(asked, promisedMs)
    expect(unsure).toEqual({ found: false, final: false, reason: 'use_not_shown' })
  })
})

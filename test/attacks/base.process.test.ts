/** A payer, a contract as a wallet, and a stranger on the chain, against a till with a real chain and x402's facilitator. */
import { randomBytes } from 'node:crypto'
import { authorizationTypes } from '@x402/evm'
import {
  createTestClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  serializeErc6492Signature,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { networks } from '../../schemas/tables/networks.ts'
import { evmBalance, evmClient, startEvmChain } from '../../services/sandbox/evm-chain.ts'
import { startFacilitator } from '../../services/sandbox/facilitator.ts'
import type { PlayChain } from '../../services/sandbox/play-chain.ts'
import { saidByFile } from '../services/sell/said.ts'
import { offer, type Signed } from '../services/till/paying.ts'
import { type Bench, receiptOf } from '../services/till/tills.ts'
import { openBothKinds } from './both-kinds.ts'

const { asset, domain } = networks.base
const usdcDomain = { ...domain, chainId: 8453, verifyingContract: asset }
const usdc = {
  address: asset,
  abi: parseAbi([
    'function mint(address to, uint256 value) returns (bool)',
    'function totalSupply() view returns (uint256)',
    'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
    'function cancelAuthorization(address,bytes32,bytes)',
  ]),
}
const cancelTypes = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

let chain: PlayChain
let facilitator: Awaited<ReturnType<typeof startFacilitator>>
let stranger: ReturnType<typeof evmClient>
let file: Awaited<ReturnType<typeof saidByFile>>
beforeAll(async () => {
  file = await saidByFile()
  chain = await startEvmChain('base')
  // Both are the same chain. They differ in the domain that a payer signs for.
  facilitator = await startFacilitator([chain, { ...chain, network: 'polygon' }])
  // The sandbox's seller account plays the stranger: it only sends what it has read.
  stranger = evmClient('base', chain.rpcUrl, 'payTo')
})
afterAll(async () => {
  await file?.end()
  await facilitator?.close()
  await chain?.close()
})

const config = () => ({
  facilitators: [{ url: facilitator.url }],
  payTo: [
    { name: 'base' as const, address: payee },
    { name: 'polygon' as const, address: payee },
  ],
  rpcUrls: { base: [chain.rpcUrl], polygon: [chain.rpcUrl] },
})
const payee = privateKeyToAccount(generatePrivateKey()).address
const received = () => evmBalance('base', chain.rpcUrl, payee)
const layCode = (address: string, bytecode: Hex) =>
  createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).setCode({
    address: address as Hex,
    bytecode,
  })

async function sent(
  functionName: 'mint' | 'transferWithAuthorization' | 'cancelAuthorization',
  args: unknown[],
) {
  const hash = await stranger.writeContract({ ...usdc, functionName, args } as never)
  const { status } = await stranger.waitForTransactionReceipt({ hash })
  expect(status).toBe('success')
  return hash
}

interface Payer {
  account: PrivateKeyAccount
  payment: Signed
  message: ReturnType<typeof messageFrom>
  signature: Hex
}

const messageFrom = (from: string) => ({
  from: from as Hex,
  to: payee as Hex,
  value: 2000n,
  validAfter: 0n,
  validBefore: BigInt(Math.floor(Date.now() / 1000) + 60),
  nonce: `0x${randomBytes(32).toString('hex')}` as Hex,
})

function paymentOf(
  message: ReturnType<typeof messageFrom>,
  signature: string,
  accepted: object = {},
): Signed {
  const { value, validAfter, validBefore, ...rest } = message
  return {
    x402Version: 2,
    accepted: { ...offer, payTo: payee, ...accepted },
    payload: {
      signature,
      authorization: {
        ...rest,
        value: `${value}`,
        validAfter: `${validAfter}`,
        validBefore: `${validBefore}`,
      },
    },
  }
}

/** A new account with a dollar, and its signature for one call. */
async function newPayer(): Promise<Payer> {
  const account = privateKeyToAccount(generatePrivateKey())
  await sent('mint', [account.address, 1_000_000n])
  const message = messageFrom(account.address)
  const signature = await account.signTypedData({
    domain: usdcDomain,
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  return { account, payment: paymentOf(message, signature), message, signature }
}

const broadcast = ({ message: { from, to, value, validAfter, validBefore, nonce }, signature }: Payer) =>
  sent('transferWithAuthorization', [from, to, value, validAfter, validBefore, nonce, signature])

const answer = '{"said":"hello"}'

/** The payment buys nothing, the answer says so, and the seller's balance stays the same. */
async function buysNothing(bench: Bench, payment: unknown, during: () => Promise<unknown> = async () => {}) {
  const before = await received()
  const bought = bench.buy(payment as Signed, {
    answer: async () => {
      await during()
      return answer
    },
  })
  await expect(bought).rejects.toMatchObject({ status: 402, charged: false })
  expect(await received()).toBe(before)
}

describe('a stranger who reads the payment before it is settled', () => {
  it('broadcasts it himself: the payer has his answer, once, and nobody else has it', async () => {
    const bench = await openBothKinds(file, { config: config() })
    const payer = await newPayer()
    const before = await received()
    let tx = ''
    const sold = await bench.buy(payer.payment, {
      answer: async () => {
        tx = await broadcast(payer)
        return answer
      },
    })
    expect(receiptOf(sold).payment_tx).toBe(tx)
    expect(await received()).toBe(before + 2000n)
    sold.delivered(true)
    await expect(bench.buy(payer.payment, { caller: 'a stranger' })).rejects.toMatchObject({ status: 409 })
    expect(bench.runs).toBe(1)
  })
})

describe('a payer who takes his word back while he is answered gets nothing', () => {
  it('by a cancelled authorization', async () => {
    const bench = await openBothKinds(file, { config: config() })
    const { account, payment, message } = await newPayer()
    const { nonce } = message
    const signature = await account.signTypedData({
      domain: usdcDomain,
      types: cancelTypes,
      primaryType: 'CancelAuthorization',
      message: { authorizer: account.address, nonce },
    })
    await buysNothing(bench, payment, () => sent('cancelAuthorization', [account.address, nonce, signature]))
  })

  it('by another transfer with the same nonce', async () => {
    const bench = await openBothKinds(file, { config: config() })
    const { account, payment, message } = await newPayer()
    const { from, validAfter, validBefore, nonce } = message
    const toHimself = { ...message, to: from, value: 0n }
    const signature = await account.signTypedData({
      domain: usdcDomain,
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: toHimself,
    })
    await buysNothing(bench, payment, () =>
      sent('transferWithAuthorization', [from, from, 0n, validAfter, validBefore, nonce, signature]),
    )
  })

  it('by code at his own address that takes no signature (EIP-7702)', async () => {
    const bench = await openBothKinds(file, { config: config() })
    const { account, payment } = await newPayer()
    await buysNothing(bench, payment, () => layCode(account.address, `0xef0100${'00'.repeat(19)}04`))
  })
})

describe('a signature for something else buys nothing', () => {
  const transfer = { types: authorizationTypes, primaryType: 'TransferWithAuthorization' as const }
  const receive = {
    types: { ReceiveWithAuthorization: authorizationTypes.TransferWithAuthorization },
    primaryType: 'ReceiveWithAuthorization' as const,
  }
  it.each<[string, object, typeof transfer | typeof receive]>([
    ['another network, with the same token and payee', { chainId: 137 }, transfer],
    ['the token of a test network', { name: 'USDC', chainId: 84532 }, transfer],
    ['another name of the token', { name: 'USDC' }, transfer],
    ['another version of it', { version: '1' }, transfer],
    ['another contract', { verifyingContract: networks.polygon.asset }, transfer],
    ['a token without a contract', { verifyingContract: undefined }, transfer],
    ['a domain with salt', { salt: `0x${'00'.repeat(32)}` }, transfer],
    ['a transfer that the payee fetches', {}, receive],
  ])('%s', async (_, change, typed) => {
    const bench = await openBothKinds(file, { config: config() })
    const { account, message } = await newPayer()
    const signature = await account.signTypedData({
      domain: { ...usdcDomain, ...change },
      ...typed,
      message,
    } as never)
    await buysNothing(bench, paymentOf(message, signature))
    expect(bench.runs).toBe(0)
  })

  it('Polygon, where the seller has the same address', async () => {
    const bench = await openBothKinds(file, { config: config() })
    const { message, signature } = await newPayer()
    const { caip2, asset, domain } = networks.polygon
    await buysNothing(bench, paymentOf(message, signature, { network: caip2, asset, extra: domain }))
    expect(bench.runs).toBe(0)
  })

  it('Permit2, in place of the token’s own authorization or beside it', async () => {
    const bench = await openBothKinds(file, { config: config() })
    const { payment, message, signature } = await newPayer()
    const { from, to, nonce, validBefore } = message
    const permit2Authorization = {
      from,
      permitted: { token: asset, amount: '2000' },
      spender: '0x4020615294c913F045dc10f0a5cdEbd86c280001',
      nonce: `${BigInt(nonce)}`,
      deadline: `${validBefore}`,
      witness: { to, validAfter: '0', extra: '0x' },
    }
    const accepted = { ...payment.accepted, extra: { ...domain, assetTransferMethod: 'permit2' } }
    const payload = { signature, permit2Authorization }
    await buysNothing(bench, { ...payment, accepted, payload })
    await buysNothing(bench, { ...payment, payload })
    const beside = { ...payment, payload: { ...payment.payload, permit2Authorization } }
    expect(receiptOf(await bench.buy(beside)).charged).toBe(true)
  })

  it.each<[string, (signature: Hex, payer: Payer) => Promise<string> | string]>([
    [
      'its digest as a text',
      (_, { account, message }) => account.signMessage({ message: { raw: message.nonce } }),
    ],
    ['64 bytes of it (EIP-2098)', signature => signature.slice(0, 130)],
    ['it and a byte more', signature => `${signature}00`],
    ['it twice', signature => `${signature}${signature.slice(2)}`],
    ['it with a v that is none', signature => `${signature.slice(0, 130)}1d`],
    ['zeros', () => `0x${'00'.repeat(65)}`],
    ['two thousand bytes', () => `0x${'ab'.repeat(2000)}`],
  ])('spelt as %s', async (_, spell) => {
    const bench = await openBothKinds(file, { config: config() })
    const payer = await newPayer()
    await buysNothing(bench, paymentOf(payer.message, await spell(payer.signature, payer)))
  })
})

/** EVM code: push a word and store it, return 32 bytes. */
const saying = (word: string): Hex => `0x7f${word}60005260206000f3`
const yes = saying(`1626ba7e${'00'.repeat(28)}`)
const no = saying('00'.repeat(32))

describe('a wallet that is a contract', () => {
  async function newWallet(code: Hex) {
    const address = privateKeyToAccount(generatePrivateKey()).address
    await layCode(address, code)
    await sent('mint', [address, 1_000_000n])
    const message = messageFrom(address)
    return { address, message, payment: paymentOf(message, `0x${'12'.repeat(70)}`) }
  }

  it('that says yes pays', async () => {
    const bench = await openBothKinds(file, { config: config() })
    const { payment } = await newWallet(yes)
    const before = await received()
    expect(receiptOf(await bench.buy(payment)).charged).toBe(true)
    expect(await received()).toBe(before + 2000n)
  })

  it('that says yes until it is answered, and then no, buys nothing', async () => {
    const bench = await openBothKinds(file, { config: config() })
    const { address, payment } = await newWallet(yes)
    await buysNothing(bench, payment, () => layCode(address, no))
  })

  it.each<[string, Hex]>([
    ['that burns all gas', '0x5b5f56'],
    ['that answers with a megabyte', '0x621000005ff3'],
    ['that reverts with a megabyte', '0x621000005ffd'],
    ['that destroys itself', '0x5fff'],
    ['that answers with nothing', '0x00'],
    ['whose code is none', '0xfe'],
  ])('%s buys nothing, and holds up nobody', async (_, code) => {
    const bench = await openBothKinds(file, { config: config() })
    const { payment } = await newWallet(code)
    const honest = await newPayer()
    const trouble = bench.buy(payment).then(
      () => 'sold',
      (failure: { charged: unknown }) => failure.charged,
    )
    expect(receiptOf(await bench.buy(honest.payment)).charged).toBe(true)
    expect(await trouble).toBe(false)
  })

  it('that is not there yet has no factory called in its name (ERC-6492)', async () => {
    const bench = await openBothKinds(file, { config: config() })
    const message = messageFrom(privateKeyToAccount(generatePrivateKey()).address)
    await sent('mint', [message.from, 1_000_000n])
    // The deployment calls the token itself: it would make a million dollars of play money.
    const data = encodeFunctionData({ ...usdc, functionName: 'mint', args: [message.from, 10n ** 12n] })
    const signature = serializeErc6492Signature({ address: asset, data, signature: `0x${'12'.repeat(65)}` })
    const supply = () => stranger.readContract({ ...usdc, functionName: 'totalSupply' })
    const before = await supply()
    await buysNothing(bench, paymentOf(message, signature))
    expect(await supply()).toBe(before)
  })
})

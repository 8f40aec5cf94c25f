import { authorizationTypes } from '@x402/evm'
import { type Hex, maxUint256, parseAbi, parseSignature, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChains } from '../../../pipelines/domains/chain/open-chains.ts'
import { chains } from '../../../schemas/tables/chains.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { chainBalance } from '../../../services/origins/chain/balance.ts'
import { chainToken } from '../../../services/origins/chain/token.ts'
import { evmClient, startEvmChain } from '../../../services/sandbox/evm-chain.ts'
import { layMarket } from '../../../services/sandbox/evm-market.ts'
import { openingBalance, type PlayChain } from '../../../services/sandbox/play-chain.ts'
import { asking } from '../origins/chain/asking.ts'

const abi = parseAbi([
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'function cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)',
  'function authorizationState(address,bytes32) view returns (bool)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function name() view returns (string)',
])
const types = {
  ...authorizationTypes,
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const
const usdc = { address: networks.base.asset, abi }
const domain = { ...networks.base.domain, chainId: 8453, verifyingContract: networks.base.asset }

describe('the USDC of the sandbox', () => {
  let chain: PlayChain
  let payer: ReturnType<typeof evmClient>
  let anyone: ReturnType<typeof evmClient>
  let nonces = 0

  beforeAll(async () => {
    chain = await startEvmChain('base')
    payer = evmClient('base', chain.rpcUrl, 'payer')
    anyone = evmClient('base', chain.rpcUrl, 'facilitator')
  })
  afterAll(() => chain?.close())

  const authorization = (
    change: Partial<{ value: bigint; validAfter: bigint; validBefore: bigint }> = {},
  ) => ({
    from: payer.account.address,
    to: chain.payTo as Hex,
    value: 5n,
    validAfter: 0n,
    validBefore: maxUint256,
    nonce: toHex(++nonces, { size: 32 }),
    ...change,
  })
  type Authorization = ReturnType<typeof authorization>
  const sign = (message: Authorization) =>
    payer.signTypedData({ domain, types, primaryType: 'TransferWithAuthorization', message })
  const present = (
    { from, to, value, validAfter, validBefore, nonce }: Authorization,
    signature: Hex,
  ): Promise<Hex> =>
    anyone.writeContract({
      ...usdc,
      functionName: 'transferWithAuthorization',
      args: [from, to, value, validAfter, validBefore, nonce, signature],
    })

  it.each([
    ['not yet valid', { validAfter: maxUint256 }, 'FiatTokenV2: authorization is not yet valid'],
    ['expired', { validBefore: 1n }, 'FiatTokenV2: authorization is expired'],
    ['beyond the balance', { value: openingBalance * 2n }, 'ERC20: transfer amount exceeds balance'],
  ])('refuses a transfer that is %s', async (_, change, reason) => {
    const message = authorization(change)
    await expect(present(message, await sign(message))).rejects.toThrow(reason)
  })

  it('refuses another signer’s transfer', async () => {
    const message = authorization()
    const signature = await sign({ ...message, value: 4n })
    await expect(present(message, signature)).rejects.toThrow('FiatTokenV2: invalid signature')
    await expect(present(message, '0x1234')).rejects.toThrow('ECRecover: invalid signature length')
  })

  it('spends a nonce once, in either overload', async () => {
    const { from, to, value, validAfter, validBefore, nonce } = authorization()
    const message = { from, to, value, validAfter, validBefore, nonce }
    const signature = await sign(message)
    const { v, r, s } = parseSignature(signature)
    const before = await chain.balance(to)

    const hash = await anyone.writeContract({
      ...usdc,
      functionName: 'transferWithAuthorization',
      args: [from, to, value, validAfter, validBefore, nonce, Number(v), r, s],
    })
    const { status } = await anyone.waitForTransactionReceipt({ hash })

    expect(status).toBe('success')
    expect(await chain.balance(to)).toBe(before + value)
    await expect(present(message, signature)).rejects.toThrow('authorization is used or canceled')
  })

  it('knows a cancelled nonce as used', async () => {
    const message = authorization()
    const { from: authorizer, nonce } = message
    const signed = await payer.signTypedData({
      domain,
      types,
      primaryType: 'CancelAuthorization',
      message: { authorizer, nonce },
    })
    const { v, r, s } = parseSignature(signed)
    await anyone.waitForTransactionReceipt({
      hash: await anyone.writeContract({
        ...usdc,
        functionName: 'cancelAuthorization',
        args: [authorizer, nonce, Number(v), r, s],
      }),
    })

    const args = [authorizer, nonce] as const
    expect(await anyone.readContract({ ...usdc, functionName: 'authorizationState', args })).toBe(true)
    await expect(present(message, await sign(message))).rejects.toThrow('authorization is used or canceled')
  })

  it('is called as on Base', async () => {
    expect(await anyone.readContract({ ...usdc, functionName: 'name' })).toBe('USD Coin')
    // The value that the real contract answers on Base.
    expect(await anyone.readContract({ ...usdc, functionName: 'DOMAIN_SEPARATOR' })).toBe(
      '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f',
    )
  })
})

describe('a play chain of several dollars', () => {
  it('has all of them, so that a balance can be read', async () => {
    const chain = await startEvmChain('polygon')
    try {
      await layMarket('polygon', chain.rpcUrl)
      const open = openChains({ polygon: { urls: [chain.rpcUrl], perSecond: 100_000 } }, Date.now)
      const of = { chain: 'polygon', address: chain.payer }
      expect(await asking(chainBalance, of, open)).toMatchObject({
        usdc: { balance: '1000' },
        usdt: { balance: '0' },
      })
      const token = chains.polygon.usdt
      expect(await asking(chainToken, { chain: 'polygon', token }, open)).toMatchObject({
        symbol: 'USDT',
        decimals: 6,
      })
    } finally {
      await chain.close()
    }
  })
})

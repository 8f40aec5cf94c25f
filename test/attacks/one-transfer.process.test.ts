/**
 * One transaction uses many authorizations, and one of them pays. The chain then shows all of them as payments. They are shown in turn at an
 * operation of the code and at one of a file.
 */
import { randomBytes } from 'node:crypto'
import { authorizationTypes } from '@x402/evm'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { networks } from '../../schemas/tables/networks.ts'
import { evmClient, startEvmChain } from '../../services/sandbox/evm-chain.ts'
import { startFacilitator } from '../../services/sandbox/facilitator.ts'
import { serveLoopback } from '../../services/sandbox/loopback.ts'
import { originOf } from '../services/an-origin.ts'
import { saidByFile } from '../services/sell/said.ts'
import { echo, offer, type Signed } from '../services/till/paying.ts'
import { type Ask, openBench, receiptOf, settlementsOf } from '../services/till/tills.ts'
import { until } from '../until.ts'

const many = 20
const multicallAddress = '0xcA11bde05977b3631167028862bE2a173976CA11'
const { asset, caip2, domain } = networks.base
const abi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[])',
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
])

async function openAttack() {
  const chain = await startEvmChain('base')
  onTestFinished(() => chain.close())
  const payer = evmClient('base', chain.rpcUrl, 'payer')
  const validBefore = BigInt(Math.floor(Date.now() / 1000) + 90)

  async function signed(nonce: Hex, to: Hex, value: bigint) {
    const from = payer.account.address
    const message = { from, to, value, validAfter: 0n, validBefore, nonce }
    const signature = await payer.signTypedData({
      domain: { ...domain, chainId: 8453, verifyingContract: asset },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message,
    })
    return { message, signature }
  }

  async function shown(nonce: Hex) {
    const { message, signature } = await signed(nonce, chain.payTo as Hex, 2000n)
    const { value, validAfter, validBefore, ...rest } = message
    const texts = { value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` }
    const accepted = { ...offer, payTo: chain.payTo }
    return { x402Version: 2, accepted, payload: { signature, authorization: { ...rest, ...texts } } }
  }

  /** The first nonce pays the seller. All others move nothing to their own payer. The payment comes last. */
  async function spend(nonces: readonly Hex[]): Promise<Hex> {
    const calls = nonces.map(async (nonce, i) => {
      const { message, signature } = await (i === 0
        ? signed(nonce, chain.payTo as Hex, 2000n)
        : signed(nonce, payer.account.address, 0n))
      const args = [message.from, message.to, message.value, 0n, validBefore, nonce, signature] as const
      const callData = encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args })
      return { target: asset, allowFailure: false, callData }
    })
    const hash = await payer.writeContract({
      address: multicallAddress,
      abi,
      functionName: 'aggregate3',
      args: [(await Promise.all(calls)).toReversed()],
    })
    expect((await payer.waitForTransactionReceipt({ hash })).status).toBe('success')
    return hash
  }
  const nonces = Array.from({ length: many }, (): Hex => `0x${randomBytes(32).toString('hex')}`)
  const { said, ask, end } = await saidByFile()
  onTestFinished(end)
  async function openShop(facilitatorUrl: string) {
    const config = {
      facilitators: [{ url: facilitatorUrl }],
      payTo: [{ name: 'base' as const, address: chain.payTo }],
      rpcUrls: { base: [chain.rpcUrl] },
    }
    const bench = await openBench({ config, origins: [originOf([echo, said])] })
    const ofFile: Ask = { operation: said, question: '{"say":"hello"}', answer: ask }
    return {
      log: bench.log,
      /** The nth payment is shown at the one or at the other. */
      buy: (payment: Signed, nth: number) => bench.buy(payment, nth % 2 ? {} : ofFile),
    }
  }
  return { chain, nonces, shown, spend, openShop }
}

it('one transfer buys one answer, whatever else its transaction used', async () => {
  const { chain, nonces, shown, spend, openShop } = await openAttack()
  const facilitator = await startFacilitator([chain])
  onTestFinished(() => facilitator.close())
  const shop = await openShop(facilitator.url)
  const tx = await spend(nonces)
  for (const [i, nonce] of nonces.slice(1).entries())
    await expect(shop.buy(await shown(nonce), i)).rejects.toMatchObject({ status: 402, charged: false })
  const sold = await shop.buy(await shown(nonces[0] as Hex), 1)
  expect(receiptOf(sold).payment_tx).toBe(tx)
  const settled = async () => (await settlementsOf(shop.log)).filter(({ state }) => state === 'settled')
  await until(async () => (await settled()).length === 1, 'the settlement to be told')
  expect(await settled()).toMatchObject([{ payment_tx: tx, payment_position: 2 * many - 1 }])
  expect(await chain.balance(chain.payTo)).toBe(2000n)
})

it('nor does it buy more when the facilitator takes the transaction for the settlement of each', async () => {
  const { nonces, shown, spend, openShop } = await openAttack()
  let tx = ''
  const liar = await serveLoopback(({ path }) => {
    const said =
      path === '/supported'
        ? { kinds: [{ x402Version: 2, scheme: 'exact', network: caip2 }], extensions: [], signers: {} }
        : { success: true, isValid: true, transaction: tx, network: caip2 }
    return { body: JSON.stringify(said) }
  })
  onTestFinished(() => liar.close())
  const shop = await openShop(liar.url)
  tx = await spend(nonces)
  expect(receiptOf(await shop.buy(await shown(nonces[0] as Hex), 0)).payment_tx).toBe(tx)
  for (const [i, nonce] of nonces.slice(1).entries())
    await expect(shop.buy(await shown(nonce), i)).rejects.toMatchObject({ status: 402, charged: false })
})

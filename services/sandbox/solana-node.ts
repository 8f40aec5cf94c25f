/** Serves the sandbox's Solana over the RPC of a node. It opens the USDC account of payTo, because no client does. */
import { address } from '@solana/kit'
import type { SvmNetworkName } from '../../schemas/tables/networks.ts'
import { solanaKeyText, solanaSigner } from './keys.ts'
import { json, serveLoopback } from './loopback.ts'
import { openingBalance, type PlayChain } from './play-chain.ts'
import { SolanaChain } from './solana-chain.ts'
import { layMarket } from './solana-market.ts'
import { answerRpc } from './solana-rpc.ts'

export async function startSolanaChain(
  network: SvmNetworkName = 'solana',
  now: () => number = Date.now,
): Promise<PlayChain> {
  const chain = new SolanaChain(network, now)
  layMarket(chain)
  const { address: facilitator } = await solanaSigner('facilitator')
  const { address: payer } = await solanaSigner('payer')
  const { address: payTo } = await solanaSigner('payTo')
  await chain.hold(facilitator, 0n)
  await chain.hold((await solanaSigner('secondFacilitator')).address, 0n)
  await chain.hold(payTo, 0n)
  await chain.hold(payer, openingBalance)
  for (const part of ['refunds', 'canary'] as const)
    await chain.hold((await solanaSigner(part)).address, openingBalance)
  const node = await serveLoopback(({ body }) => ({ body: json(answerRpc(chain, body)) }))
  const ended = Promise.withResolvers<void>()
  return {
    network,
    rpcUrl: node.url,
    payer,
    settleKey: await solanaKeyText('facilitator'),
    refundKey: await solanaKeyText('refunds'),
    canaryKey: await solanaKeyText('canary'),
    payTo,
    balance: account => chain.balance(address(account)),
    fund: async amount => chain.hold(payer, (await chain.balance(payer)) + amount),
    drain: () => chain.hold(payer, 0n),
    ended: ended.promise,
    close: async () => {
      await node.close()
      ended.resolve()
    },
  }
}

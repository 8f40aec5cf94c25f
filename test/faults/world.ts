/** Two real chains, x402's own facilitator for them, and a connection to it that fails as planned. */
import { address } from '@solana/kit'
import { createTestClient, http } from 'viem'
import { startEvmChain } from '../../services/sandbox/evm-chain.ts'
import { startFacilitator } from '../../services/sandbox/facilitator.ts'
import { solanaSigner } from '../../services/sandbox/keys.ts'
import { json, serveLoopback } from '../../services/sandbox/loopback.ts'
import type { PlayChain } from '../../services/sandbox/play-chain.ts'
import { SolanaChain } from '../../services/sandbox/solana-chain.ts'
import { answerRpc } from '../../services/sandbox/solana-rpc.ts'
import type { TillConfig } from '../../services/till/open-till.ts'
import { type FaultyWire, startFaultyWire } from './faulty-wire.ts'
import { basePayers, type Payer, solanaPayer } from './payers.ts'

export interface World {
  config: TillConfig
  wire: FaultyWire
  payer(network: 'base' | 'solana'): Promise<Payer>
  earned(): Promise<bigint>
  /** Moves the clocks of both chains forward. */
  turn(ms: number): Promise<void>
  close(): Promise<void>
}

export async function openWorld(): Promise<World> {
  let aheadMs = 0
  const base = await startEvmChain('base')
  const solana = new SolanaChain('solana', () => Date.now() + aheadMs)
  const node = await serveLoopback(({ body }) => ({ body: json(answerRpc(solana, body)) }))
  const payToSolana = (await solanaSigner('payTo')).address
  await solana.hold((await solanaSigner('facilitator')).address, 0n)
  await solana.hold(payToSolana, 0n)
  const chains = [base, { network: 'solana', rpcUrl: node.url } as PlayChain]
  const facilitator = await startFacilitator(chains)
  const wire = await startFaultyWire(facilitator.url)

  const payOnBase = basePayers(base)
  return {
    config: {
      facilitators: [{ url: wire.url }],
      payTo: [
        { name: 'base', address: base.payTo },
        { name: 'solana', address: payToSolana },
      ],
      rpcUrls: { base: [base.rpcUrl], solana: [node.url] },
    },
    wire,
    payer: network => (network === 'base' ? payOnBase() : solanaPayer(solana, node.url)),
    earned: async () => (await base.balance(base.payTo)) + (await solana.balance(address(payToSolana))),
    async turn(ms) {
      aheadMs += ms
      const test = createTestClient({ mode: 'anvil', transport: http(base.rpcUrl) })
      await test.increaseTime({ seconds: ms / 1000 })
      await test.mine({ blocks: 1 })
    },
    async close() {
      await wire.close()
      await facilitator.close()
      await node.close()
      await base.close()
    },
  }
}

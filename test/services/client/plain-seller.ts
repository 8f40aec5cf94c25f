/** A seller that is not Farebox: @x402/express as its documentation has it, with the sandbox's chains and facilitator. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import { ExactSvmScheme } from '@x402/svm/exact/server'
import express from 'express'
import { networks } from '../../../schemas/tables/networks.ts'
import { startEvmChain } from '../../../services/sandbox/evm-chain.ts'
import { startFacilitator } from '../../../services/sandbox/facilitator.ts'
import { startSolanaChain } from '../../../services/sandbox/solana-node.ts'

const { base, solana } = networks

export async function startPlainSeller() {
  const chains = await Promise.all([startEvmChain('base'), startSolanaChain()])
  const facilitator = await startFacilitator(chains)
  const [onBase, onSolana] = chains
  const core = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator.url }))
    .register(base.caip2, new ExactEvmScheme())
    .register(solana.caip2, new ExactSvmScheme())
  const price = { scheme: 'exact', price: '$0.002' } as const
  const accepts = [
    { ...price, network: base.caip2, payTo: onBase.payTo },
    { ...price, network: solana.caip2, payTo: onSolana.payTo },
  ]
  const app = express().use(express.json())
  app.use(
    paymentMiddleware(
      { 'POST /joke': { accepts, description: 'A joke', mimeType: 'application/json' } },
      core,
    ),
  )
  app.post('/joke', (request, response) => {
    response.json({ about: request.body.about, joke: 'knock, knock' })
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    base: onBase,
    solana: onSolana,
    async close() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
      await facilitator.close()
      await Promise.all(chains.map(chain => chain.close()))
    },
  }
}

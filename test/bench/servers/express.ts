/** The reference seller: @x402/express with the same handler and the same facilitator. `undici`: with a pool of connections. */
import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import express from 'express'
import { Agent, setGlobalDispatcher } from 'undici'
import { answered, path, payTo, serving } from './serving.ts'

if (process.argv[3] === 'undici')
  setGlobalDispatcher(new Agent({ connections: 256, keepAliveTimeout: 30_000 }))

const core = new x402ResourceServer(new HTTPFacilitatorClient({ url: process.argv[2] as string })).register(
  'eip155:8453',
  new ExactEvmScheme(),
)
const app = express()
app.use(express.json())
app.use(
  paymentMiddleware(
    {
      [`POST ${path}`]: {
        accepts: { scheme: 'exact', network: 'eip155:8453', payTo, price: '$0.002' },
        description: 'The same question',
        mimeType: 'application/json',
      },
    },
    core,
  ),
)
app.post(path, (_request, response) => {
  response.json(answered)
})
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  serving(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})

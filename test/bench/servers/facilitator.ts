/** A facilitator that says yes at once, over real HTTP: what is measured is the seller. */
import { createServer } from 'node:http'
import { serving } from './serving.ts'

let settled = 0
const answers: Record<
  string,
  (body: { paymentPayload?: { payload?: { authorization?: { from?: string } } } }) => object
> = {
  '/supported': () => ({
    kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
    extensions: [],
    signers: { 'eip155:*': ['0x2222222222222222222222222222222222222222'] },
  }),
  '/verify': body => ({ isValid: true, payer: body.paymentPayload?.payload?.authorization?.from }),
  '/settle': body => {
    settled += 1
    return {
      success: true,
      transaction: `0x${settled.toString(16).padStart(64, '0')}`,
      network: 'eip155:8453',
      payer: body.paymentPayload?.payload?.authorization?.from,
    }
  },
}

const server = createServer(async (request, response) => {
  const parts = []
  for await (const part of request) parts.push(part)
  const body = parts.length ? JSON.parse(Buffer.concat(parts).toString()) : {}
  const text = JSON.stringify(answers[request.url ?? '']?.(body) ?? { error: 'not found' })
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  serving(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})

/** A facilitator over real HTTP without a chain. It agrees at once, or fails in the test's way. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getAddress } from 'viem'
import { chainAnswer, type Moved } from './stub-chain.ts'

export type Mood =
  | 'well'
  | 'hang'
  | 'hold'
  | 'error before'
  | 'error after'
  | 'html'
  | 'redirect'
  | 'too many'
  | 'invented'
  | 'wrong network'
  | 'wrong payer'
  | 'pending'
  | 'refused'
  | 'same transaction'
  | 'no transaction'

interface Asked {
  paymentPayload: { payload: { authorization?: Omit<Moved, 'tx'>; transaction?: string } }
  paymentRequirements: { network: string }
}

export interface StubFacilitator {
  url: string
  verify: Mood
  settle: Mood
  /** The reason of /verify in the mood `refused`. */
  reason: string
  feePayer: string
  /** Does it answer what it supports? */
  supported: 'well' | 'hang'
  /** Does it refuse an authorization that has landed, as chains do? */
  knowsUsed: boolean
  /** The header EXTENSION-RESPONSES of its replies. */
  extensions: string | undefined
  /** The header Authorization of each call. */
  authorizations: (string | undefined)[]
  /** The mood of /settle for one payer, whose address is as EIP-55 writes it. Undefined: the mood for all. */
  moodFor(payer: string | undefined): Mood | undefined
  /** The header Retry-After of a reply of 429. */
  retryAfter: string | undefined
  /** Does the chain of Base answer at `/chain`? */
  chain: 'silent' | 'truthful' | 'hanging'
  /** What every wallet holds by that node, in the smallest unit of USDC. */
  funds: bigint
  /** The calls of that node. */
  chainCalls: number
  /** The calls in the mood `hold`. Each is answered well when the test calls it. */
  held: (() => void)[]
  /** The payments that the chain shows. */
  landed: Moved[]
  calls: { supported: number; verify: number; settle: number }
  /** The payments that it settled in truth, whatever it answered. */
  moved: Map<string, string>
  bodies: string[]
  /** The trace of each call. */
  traces: (string | undefined)[]
  /** Ends all connections without an answer. */
  breakAll(): void
  close(): Promise<void>
}

export const feePayerKey = 'CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5'

export async function startStubFacilitator(port = 0): Promise<StubFacilitator> {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', chunk => {
      text += chunk
    })
    request.on('end', () => answer(stub, request, response, text))
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const stub: StubFacilitator = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    verify: 'well',
    settle: 'well',
    reason: 'insufficient_funds',
    feePayer: feePayerKey,
    supported: 'well',
    knowsUsed: false,
    extensions: undefined,
    authorizations: [],
    moodFor: () => undefined,
    retryAfter: undefined,
    chain: 'silent',
    funds: 1_000_000_000n,
    chainCalls: 0,
    held: [],
    landed: [],
    calls: { supported: 0, verify: 0, settle: 0 },
    moved: new Map(),
    bodies: [],
    traces: [],
    breakAll: () => {
      stub.held.length = 0
      server.closeAllConnections()
    },
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return stub
}

function answer(
  stub: StubFacilitator,
  { url, headers }: IncomingMessage,
  response: ServerResponse,
  text: string,
  told?: Mood,
) {
  const send = (status: number, value: object | string) => {
    const body = typeof value === 'string' ? value : JSON.stringify(value)
    const type = typeof value === 'string' ? 'text/html' : 'application/json'
    if (stub.extensions !== undefined) response.setHeader('extension-responses', stub.extensions)
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body)
  }
  if (url === '/chain') {
    stub.chainCalls++
    if (stub.chain === 'hanging') return
    return stub.chain === 'silent' ? send(503, {}) : send(200, chainAnswer(stub.landed, text, stub.funds))
  }
  if (!told) stub.authorizations.push(headers.authorization)
  if (url === '/supported') {
    stub.calls.supported++
    if (stub.supported === 'hang') return
    const kinds = [
      { x402Version: 2, scheme: 'exact', network: 'eip155:8453' },
      {
        x402Version: 2,
        scheme: 'exact',
        network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        extra: { feePayer: stub.feePayer },
      },
    ]
    return send(200, { kinds, extensions: [], signers: { 'solana:*': [stub.feePayer] } })
  }
  const call = url === '/verify' ? 'verify' : 'settle'
  if (!told) {
    stub.calls[call]++
    stub.bodies.push(text)
    stub.traces.push(headers.traceparent?.toString())
  }
  const { paymentPayload, paymentRequirements } = JSON.parse(text) as Asked
  const payer = paymentPayload.payload.authorization?.from
  const mood = told ?? ((call === 'settle' && stub.moodFor(payer && getAddress(payer))) || stub[call])
  const network = paymentRequirements.network
  if (mood === 'hang') return
  if (mood === 'hold') {
    stub.held.push(() => answer(stub, { url, headers } as IncomingMessage, response, text, 'well'))
    return
  }
  if (mood === 'html') return send(200, '<html>all is well</html>')
  if (mood === 'redirect') {
    response.writeHead(308, { location: 'https://example.com/' }).end()
    return
  }
  if (mood === 'too many') {
    if (stub.retryAfter !== undefined) response.setHeader('retry-after', stub.retryAfter)
    return send(429, { error: 'too many requests' })
  }
  if (mood === 'error before') return send(500, { error: 'before anything was sent' })
  if (call === 'verify') {
    if (mood === 'refused') return send(200, { isValid: false, invalidReason: stub.reason, payer })
    return send(200, { isValid: true, payer: mood === 'wrong payer' ? `0x${'9'.repeat(40)}` : payer })
  }
  if (mood === 'refused')
    return send(200, { success: false, errorReason: stub.reason, transaction: '', network, payer })

  if (mood === 'no transaction') return send(200, { success: true, transaction: '', network, payer })
  const spend = JSON.stringify(paymentPayload.payload)
  const tx =
    mood === 'same transaction'
      ? `0x${'ab'.repeat(32)}`
      : transactionOf(network, createHash('sha256').update(spend).digest('hex'))
  const { authorization } = paymentPayload.payload
  if (stub.knowsUsed && stub.landed.some(({ nonce }) => nonce === authorization?.nonce)) {
    const errorReason = 'invalid_exact_evm_nonce_already_used'
    return send(200, { success: false, errorReason, transaction: '', network, payer })
  }
  if (authorization && mood !== 'invented') stub.landed.push({ ...authorization, tx })
  stub.moved.set(paymentPayload.payload.authorization?.nonce ?? spend, tx)
  if (mood === 'error after') return send(500, { error: 'after it was sent' })
  if (mood === 'pending')
    return send(500, {
      success: false,
      errorReason: 'settlement_pending',
      transaction: tx,
      network,
      payer,
    })
  if (mood === 'wrong network')
    return send(200, { success: true, transaction: tx, network: 'eip155:1', payer })
  if (mood === 'wrong payer')
    return send(200, { success: true, transaction: tx, network, payer: `0x${'9'.repeat(40)}` })
  return send(200, { success: true, transaction: tx, network, payer })
}

/** On Solana a transaction is base58, which has no 0. */
const transactionOf = (network: string, hash: string): string =>
  network.startsWith('eip155:') ? `0x${hash}` : hash.replaceAll('0', 'z')

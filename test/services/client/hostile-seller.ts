/** A seller that gives a test's answers, and keeps the payments that arrive. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Offer } from '../../../services/client/quote.ts'
import { header, offer } from '../till/paying.ts'

export interface Presented {
  accepted: Offer
  payload: { authorization: Record<string, string>; signature: string; transaction?: string }
}

export interface HostileSeller {
  url: string
  port: number
  /** Each request: its path, and the payment that came with it. */
  heard: { path: string; payment?: Presented }[]
  /** The payments without repetitions: each is one signature. */
  signatures(): Presented[]
}

export const quoteOf = (...accepts: unknown[]) => ({
  x402Version: 2,
  resource: { url: 'http://seller.example/fx' },
  accepts,
})
export const offering = (change: object = {}) => quoteOf({ ...offer, ...change })

export const ask402 = (response: ServerResponse, quote: unknown, body: object = {}) =>
  response
    .writeHead(402, { 'payment-required': header(quote), 'content-type': 'application/json' })
    .end(JSON.stringify({ error: 'payment_required', charged: false, ...body }))

export const answer = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

type Answering = (response: ServerResponse, asked: { paid: boolean; nth: number; path: string }) => void

/** Sells to any client with a payment for this quote. */
export const selling =
  (quote: unknown): Answering =>
  (response, { paid }) =>
    paid ? answer(response, 200, { said: 'hello' }) : ask402(response, quote)

export async function startHostileSeller(
  answering: Answering,
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<HostileSeller> {
  const heard: HostileSeller['heard'] = []
  const server = createServer((request: IncomingMessage, response) => {
    request.resume().on('end', () => {
      const presented = request.headers['payment-signature']
      const path = request.url ?? ''
      heard.push({ path, ...(presented && { payment: paymentIn(String(presented)) }) })
      answering(response, { paid: presented !== undefined, nth: heard.length, path })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    server.closeAllConnections()
    return new Promise<void>(resolve => server.close(() => resolve()))
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    heard,
    signatures: () => [
      ...new Map(
        heard.flatMap(({ payment }) => (payment ? [[JSON.stringify(payment.payload), payment]] : [])),
      ).values(),
    ],
  }
}

const paymentIn = (text: string) => JSON.parse(Buffer.from(text, 'base64').toString()) as Presented

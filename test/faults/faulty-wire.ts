/** The connection between till and facilitator. It can lose, delay or change the calls of a chosen payment. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Plan } from './plan.ts'

export interface Trouble extends Pick<Plan, 'verify' | 'settle' | 'times'> {
  /** Called between verify and settle. */
  drain(): Promise<void>
  cancel(): Promise<void>
}

export interface FaultyWire {
  url: string
  close(): Promise<void>
}

/** What happens to each payment, on whichever wire it comes. The key is the nonce of the authorization, or the transaction. */
export class Troubles extends Map<string, Trouble> {
  readonly #calls = new Map<string, number>()

  /** Undefined if this call works, or if the trouble of its payment is over. */
  of(call: string, payment: string): Trouble | undefined {
    const nth = (this.#calls.get(call + payment) ?? 0) + 1
    this.#calls.set(call + payment, nth)
    const trouble = this.get(payment)
    return trouble && nth <= trouble.times ? trouble : undefined
  }
}

interface Asked {
  paymentPayload: { payload: { authorization?: { nonce: string }; transaction?: string } }
  paymentRequirements: { network: string }
}

const slowMs = 300
/** The till does not wait this long. */
const tooSlowMs = 5000
const nobody = { 'eip155:8453': `0x${'9'.repeat(40)}` } as Record<string, string>
const noTransaction = {
  'eip155:8453': `0x${'de'.repeat(32)}`,
} as Record<string, string>

export async function startFaultyWire(facilitatorUrl: string, troubles: Troubles): Promise<FaultyWire> {
  async function forward(path: string, method: string, body: string) {
    const heard = await fetch(facilitatorUrl + path, { method, ...(method === 'POST' ? { body } : {}) })
    return { status: heard.status, said: (await heard.json()) as Record<string, unknown> }
  }

  async function answer(path: string, method: string, body: string, response: ServerResponse) {
    const send = (status: number, said: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said))
    const html = (status: number) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('<html>all is well</html>')
    const pass = async (change: object = {}, status?: number) => {
      const heard = await forward(path, method, body)
      send(status ?? heard.status, { ...heard.said, ...change })
    }
    if (method === 'GET') return pass()
    const asked = JSON.parse(body) as Asked
    const { network } = asked.paymentRequirements
    const { authorization, transaction } = asked.paymentPayload.payload
    const trouble = troubles.of(path, authorization?.nonce ?? transaction ?? '')
    const other = nobody[network] ?? '9'.repeat(44)
    const fault = path === '/verify' ? trouble?.verify : trouble?.settle
    const lost = () => forward(path, method, body)
    switch (fault) {
      case undefined:
        return pass()
      case 'slow':
        await sleep(slowMs)
        return pass()
      case 'too slow':
        await sleep(tooSlowMs)
        return pass()
      case 'hang':
      case 'hang before':
        return
      case 'hang after':
        await lost()
        return
      case '5xx':
      case '5xx before':
        return send(503, { error: 'overloaded' })
      case '5xx after':
        await lost()
        return send(500, { error: 'broken' })
      case 'html':
        return html(200)
      case 'html after':
        await lost()
        return html(502)
      case 'redirect':
        return void response.writeHead(308, { location: 'https://example.com/' }).end()
      case 'reset before':
        return void response.destroy()
      case 'reset after':
        await lost()
        return void response.destroy()
      case 'wrong network':
        return pass({ network: 'eip155:1' })
      case 'wrong payer':
        return pass({ payer: other })
      case 'pending':
        return pass({ success: false, errorReason: 'settlement_pending' }, 500)
      case 'failed with a transaction':
        return pass({ success: false, errorReason: 'settle_exact_node_failure' })
      case 'dropped transaction':
        return send(200, {
          ...{ success: false, errorReason: 'transaction_failed', network },
          transaction: noTransaction[network] ?? '5'.repeat(88),
        })
      case 'drained':
        await trouble?.drain()
        return pass()
      case 'cancelled':
        await trouble?.cancel()
        return pass()
    }
  }

  const server = createServer(async (request, response) => {
    response.on('error', () => {})
    const { url = '/', method = 'GET' } = request
    try {
      await answer(url, method, await text(request), response)
    } catch {
      // The till has hung up, or the facilitator is broken. Both end the connection for the till.
      response.destroy()
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

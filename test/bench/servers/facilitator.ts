/**
 * A facilitator that accepts, on raw sockets, so that the bench measures the seller and not this stand-in. It settles at once, or after
 * as many milliseconds as its argument says. `spread`: after 0.1 to 8 s, and one of a hundred moves its money and is never answered.
 * At `/chain` it is a node that shows what has moved.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { chainAnswer, type Moved } from '../../services/till/stub-chain.ts'
import { serving } from './serving.ts'

const [takes = '0'] = process.argv.slice(2)
const spread = { leastMs: 100, times: 80, silent: 0.01 }
const supported = JSON.stringify({
  kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
  extensions: [],
  signers: { 'eip155:*': ['0x2222222222222222222222222222222222222222'] },
})
let settled = 0
/** The payments that the node shows, by nonce and by transaction. A seller looks at a settlement soon after, and at one without an answer. */
const moved = new Map<string, Moved>()
const mostMoved = 200_000

function settledBy(body: string): string | undefined {
  const payer = /"from":"(0x[0-9a-fA-F]{40})"/.exec(body)?.[1]
  const tx = `0x${(++settled).toString(16).padStart(64, '0')}`
  const said = `{"success":true,"transaction":"${tx}","network":"eip155:8453","payer":"${payer}"}`
  const { authorization } = JSON.parse(body).paymentPayload.payload
  const payment: Moved = { ...authorization, tx }
  for (const name of [payment.nonce, tx]) moved.set(name.slice(2), payment)
  for (const name of moved.keys()) {
    if (moved.size <= mostMoved) break
    moved.delete(name)
  }
  return takes === 'spread' && Math.random() < spread.silent ? undefined : said
}

function chain(body: string): string {
  // A nonce ends the data of a call, and stands alone among the topics of a log.
  const named = (body.match(/0x[0-9a-f]{64,}/g) ?? []).flatMap(hex => moved.get(hex.slice(-64)) ?? [])
  return JSON.stringify(chainAnswer([...new Set(named)], body))
}

const delayMs = (): number =>
  takes === 'spread' ? spread.leastMs * spread.times ** Math.random() : Number(takes)

function answer(socket: Socket, head: string, body: string): void {
  const send = (text: string) =>
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    )
  if (head.startsWith('GET')) return void send(supported)
  if (head.startsWith('POST /chain')) return void send(chain(body))
  if (head.startsWith('POST /verify')) {
    const payer = /"from":"(0x[0-9a-fA-F]{40})"/.exec(body)?.[1]
    return void send(`{"isValid":true,"payer":"${payer}"}`)
  }
  const said = settledBy(body)
  if (said === undefined) return
  if (takes === '0') send(said)
  else setTimeout(send, delayMs(), said)
}

const server = createServer(socket => {
  let asked = ''
  socket.setNoDelay().on('error', () => {})
  socket.on('data', part => {
    asked += part.toString('latin1')
    for (;;) {
      const head = asked.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(asked.slice(0, head))?.[1] ?? 0)
      if (asked.length < head + 4 + length) return
      const [first, body] = [asked.slice(0, head), asked.slice(head + 4, head + 4 + length)]
      asked = asked.slice(head + 4 + length)
      answer(socket, first, body)
    }
  })
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  serving(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)

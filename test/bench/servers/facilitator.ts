/** A facilitator that accepts at once, on raw sockets, so that the bench measures the seller and not this stand-in. */
import { type AddressInfo, createServer } from 'node:net'
import { serving } from './serving.ts'

const supported = JSON.stringify({
  kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
  extensions: [],
  signers: { 'eip155:*': ['0x2222222222222222222222222222222222222222'] },
})
let settled = 0

function answerTo(head: string, body: string): string {
  if (head.startsWith('GET')) return supported
  const payer = /"from":"(0x[0-9a-fA-F]{40})"/.exec(body)?.[1]
  if (head.startsWith('POST /verify')) return `{"isValid":true,"payer":"${payer}"}`
  const transaction = `0x${(++settled).toString(16).padStart(64, '0')}`
  return `{"success":true,"transaction":"${transaction}","network":"eip155:8453","payer":"${payer}"}`
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
      const text = answerTo(asked.slice(0, head), asked.slice(head + 4, head + 4 + length))
      asked = asked.slice(head + 4 + length)
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
      )
    }
  })
})
server.listen(0, '127.0.0.1', () => serving(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))

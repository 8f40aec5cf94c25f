/** What connections may hold: bodies that do not end, and answers that nobody reads. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { defineOperation, type Operation } from '../../../services/offer/operation.ts'
import { longVisitsAMinute } from '../../../services/query/visits.ts'
import { until } from '../../until.ts'
import { echo, header } from '../till/paying.ts'
import { openSelling } from './selling.ts'

const megabyte = 1 << 20
const long = defineOperation({
  ...echo,
  id: 'longOnce',
  path: '/long',
  maxBodyBytes: megabyte,
  request: z.strictObject({ say: z.string() }),
} as never) as unknown as Operation
const pages = [
  { path: '/short', answer: () => ({ type: 'text/plain', body: 'hello' }) },
  // This is more than a kernel buffers for one connection, so most of it stays here.
  { path: '/endless', answer: () => ({ type: 'text/plain', body: 'x'.repeat(24 * megabyte) }) },
  { path: '/fat', answer: () => ({ type: 'text/plain', body: 'x'.repeat(100_000) }) },
]

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}
const status = async (url: string, from: string) =>
  (await fetch(`${url}/short`, { headers: { 'x-forwarded-for': from } })).status

describe('an answer that nobody reads', () => {
  const asks = (port: number, from: string) => {
    const socket = open(port).pause()
    socket.write(`GET /endless HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\n\r\n`)
    return socket
  }

  it('closes its connection', async () => {
    const { app, port } = await openSelling({ pages, unreadMs: 300 })
    const connections = promisify(app.server.getConnections.bind(app.server))
    asks(port, '203.0.113.1')
    await until(async () => (await connections()) === 1, 'the connection')
    await until(async () => (await connections()) === 0, 'its end')
  })

  it('has room, and beyond it its caller gets nothing more, and others do', async () => {
    const { port, url } = await openSelling({ pages, trustProxy: true })
    const sockets = [asks(port, '203.0.113.1'), asks(port, '203.0.113.1')]
    await until(async () => (await status(url, '203.0.113.1')) === 503, 'the refusal')
    expect(await status(url, '203.0.113.2')).toBe(200)
    for (const socket of sockets) socket.destroy()
    await until(async () => (await status(url, '203.0.113.1')) === 200, 'room')
  })
})

describe('a stop of the process', () => {
  /** A reader who has the first part of a long answer, and reads no further. */
  async function reading(port: number) {
    const socket = open(port)
    let bytes = 0
    socket.on('data', part => {
      bytes += part.length
    })
    const got = () => bytes
    // At once: of what is left after more parts, the kernel might hold all.
    const begun = once(socket, 'data')
    socket.once('data', () => socket.pause())
    socket.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n')
    await begun
    return { socket, got }
  }

  it('waits for who is still reading, and takes no more connections meanwhile', async () => {
    const { app, port } = await openSelling({ pages })
    const { socket, got } = await reading(port)
    let isClosed = false
    const closing = app.close().then(() => {
      isClosed = true
    })
    await until(() => !app.server.listening, 'the door to shut')
    await expect(fetch(`http://127.0.0.1:${port}/short`)).rejects.toThrow()
    expect([isClosed, got() < 24 * megabyte]).toEqual([false, true])
    socket.resume()
    await until(() => got() > 24 * megabyte, 'the whole answer')
    await closing
  })

  it('waits for nobody who reads nothing more', async () => {
    const { app, port } = await openSelling({ pages, partingMs: 50 })
    const { got } = await reading(port)
    await app.close()
    expect(got()).toBeLessThan(24 * megabyte)
  })
})

describe('a body that does not end', () => {
  it.each([
    ['with its length', `content-length: ${megabyte}`, ''],
    ['without a length', 'transfer-encoding: chunked', '1\r\n{\r\n'],
  ])('has room, and beyond it is refused, %s', async (_, framing, part) => {
    const { port } = await openSelling({ operations: [long], trustProxy: true })
    const send = (from: string) => {
      const socket = open(port)
      socket.write(
        `POST /long HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\nContent-Type: application/json\r\nPAYMENT-SIGNATURE: ${header({ a: 1 })}\r\n${framing}\r\n\r\n${part}`,
      )
      return socket
    }
    const refused = async (socket: Socket) => String((await once(socket, 'data'))[0])
    const kept = Array.from({ length: 32 }, () => send('203.0.113.1'))
    let over = ''
    await until(async () => {
      over = await refused(send('203.0.113.1'))
      return true
    }, 'the refusal')
    expect(over).toMatch(/^HTTP\/1.1 503/)
    expect(over).toContain('"error":"busy"')
    expect(over).toContain('"charged":false')
    expect(kept.map(({ bytesRead }) => bytesRead)).toEqual(kept.map(() => 0))
  })
})

it('long pages have a limit of their own', async () => {
  // The limit comes back with the time, and a busy machine takes seconds for so many.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { app } = await openSelling({ pages })
  const ask = async (url: string) => (await app.inject({ url })).statusCode
  for (let n = 0; n < longVisitsAMinute; n++) expect(await ask('/fat')).toBe(200)
  expect(await ask('/fat')).toBe(429)
  expect(await ask('/short')).toBe(200)
})

it.each(['/short#%zz', '/%zz', '/short%'])('%s is no fault of ours', async url => {
  const { port, logged } = await openSelling({ pages })
  const socket = open(port)
  socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`)
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 (?:200|400|404)/)
  expect(logged.join('')).not.toContain('our fault')
})

/** An unpaid call is answered before the framework, with its bytes. */
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { registry } from '../../../pipelines/rails/metrics.ts'
import type { OpenOrigin } from '../../../services/offer/origin.ts'
import { origins } from '../../../services/origins/index.ts'
import { Callers } from '../../../services/query/callers.ts'
import { Challenges } from '../../../services/query/mpp/challenges.ts'
import { Signer } from '../../../services/query/signing/signer.ts'
import { until } from '../../until.ts'
import { originOf } from '../an-origin.ts'
import { echo, header, signed } from '../till/paying.ts'
import { openSelling } from './selling.ts'

const secret = `0x${'11'.repeat(32)}`
const signing = { signer: new Signer([secret], Date.now), challenges: new Challenges([secret], Date.now) }
/** Only what is answered early asks so. */
const early = vi.spyOn(Callers.prototype, 'admitted')
afterEach(() => void early.mockClear())

/** Answers on one connection, as they come. */
function connected(port: number) {
  const socket: Socket = connect(port, '127.0.0.1')
  let heard = ''
  let isClosed = false
  socket.setEncoding('latin1').on('error', () => {})
  socket.on('data', part => {
    heard += part
  })
  socket.on('close', () => {
    isClosed = true
  })
  /** The next answer, head and body. `isBare`: it has no body. */
  async function next(isBare = false): Promise<string> {
    const end = () => {
      const head = heard.indexOf('\r\n\r\n')
      const length = isBare ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(heard)?.[1] ?? 0)
      return head < 0 ? Number.POSITIVE_INFINITY : head + 4 + length
    }
    await until(() => heard.length >= end() || isClosed, 'the answer')
    const at = end()
    const answer = heard.slice(0, at)
    heard = heard.slice(at)
    return answer
  }
  return {
    send: (bytes: string) => void socket.write(bytes, 'latin1'),
    next,
    closed: () => until(() => isClosed, 'the connection to end'),
    end: () => socket.destroy(),
  }
}

const request = (target: string, lines: readonly string[] = [], method = 'POST', body = '{"x":1}') =>
  [`${method} ${target} HTTP/1.1`, 'Host: x', `Content-Length: ${body.length}`, ...lines, '', body].join(
    '\r\n',
  )

async function answer(port: number, bytes: string, isBare = false): Promise<string> {
  const connection = connected(port)
  connection.send(bytes)
  const told = await connection.next(isBare)
  connection.end()
  return told
}

/** The same path, which only the framework reads so. */
const spelled = (path: string) => `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`

/** What differs from call to call. */
const plain = (text: string) =>
  text
    .replace(/\r\nDate: [^\r]+/, '\r\nDate: now')
    .replace(/;r=\d+;t=\d+/, ';r;t')
    .replace(/(id="[\w-]+\.)[0-9a-f-]{36}"/g, '$1"')

describe('the 402 of each operation', () => {
  const all: OpenOrigin[] = origins.map(origin => ({ ...origin, url: `https://${origin.name}.example` }))
  it.each([
    ['unsigned', {}],
    ['with signed offers and challenges of MPP', signing],
  ])('has the bytes of the framework, %s', async (_, more) => {
    const { port } = await openSelling({ origins: all, ...more })
    const paths = all.flatMap(({ name, operations }) => operations.map(({ path }) => ({ name, path })))
    expect(paths.length).toBeGreaterThan(40)
    for (const { name, path } of paths) {
      const at = (target: string) => request(target, []).replace('Host: x', `Host: ${name}.example:80`)
      early.mockClear()
      const ours = await answer(port, at(path))
      expect([path, ours.slice(0, 12), early.mock.calls.length]).toEqual([path, 'HTTP/1.1 402', 1])
      const theirs = await answer(port, at(spelled(path)))
      expect([path, early.mock.calls.length]).toEqual([path, 1])
      expect(plain(ours)).toBe(plain(theirs))
    }
  })

  it('of an example with other letters than those of ASCII has them whole', async () => {
    const wide = { ...echo, about: 'Says it again: 5 €, 東京, 🙂.' }
    const { port, ask } = await openSelling({ origins: [originOf([wide])] })
    expect(plain(await answer(port, request('/echo')))).toBe(plain(await answer(port, request('/%65cho'))))
    const { resource } = (await (await ask()).json()) as { resource: { description: string } }
    expect(resource.description).toBe(wide.about)
  })

  it('is not sold at the host of another origin', async () => {
    const other = originOf([{ ...echo, path: '/other', id: 'other' }], {
      name: 'o',
      url: 'https://o.example',
    })
    const { port } = await openSelling({ origins: [originOf([echo]), other] })
    const told: string[] = []
    for (const host of ['o.example', 'O.EXAMPLE.:8080', 'farebox.example', '[::1]:80', ''])
      told.push((await answer(port, request('/echo').replace('Host: x', `Host: ${host}`))).slice(9, 12))
    expect(told).toEqual(['404', '404', '402', '402', '402'])
  })
})

describe('goes to the framework:', () => {
  it.each<[string, string[], string]>([
    ['a payment', ['PAYMENT-SIGNATURE: e30='], '415'],
    ['a payment of version 1', ['X-PAYMENT: e30='], '402'],
    ['a payment that is empty', ['payment-signature:'], '400'],
    ['a credential', ['Authorization: Payment e30'], '400'],
    ['a key', ['Idempotency-Key: 12345678'], '402'],
    ['a wrong key', ['Idempotency-Key: 1'], '400'],
    ['an expectation', ['Expect: more'], '400'],
  ])('%s', async (_, lines, status) => {
    const { port } = await openSelling()
    const told = await answer(port, request('/echo', lines))
    expect([told.slice(9, 12), early.mock.calls.length]).toEqual([status, 0])
  })

  it.each(['/echo?x=1', '/echo#x', '/%65cho', '/nothing', '/echo/', '//echo', 'http://x/echo'])(
    '%s',
    async target => {
      const { port } = await openSelling()
      await answer(port, request(target))
      expect(early).not.toHaveBeenCalled()
    },
  )

  it('HEAD, other methods, and HTTP 1.0', async () => {
    const { port } = await openSelling()
    const told = [
      await answer(port, request('/echo', [], 'HEAD', ''), true),
      await answer(port, request('/echo', [], 'GET', '')),
      await answer(port, request('/echo', [], 'OPTIONS', ''), true),
      await answer(port, request('/echo').replace('HTTP/1.1', 'HTTP/1.0')),
    ]
    expect(told.map(text => text.slice(9, 12))).toEqual(['402', '405', '204', '402'])
    expect(early).not.toHaveBeenCalled()
  })

  it('what a proxy says of its caller, if proxies are trusted', async () => {
    const { port } = await openSelling({ trustProxy: true })
    await answer(port, request('/echo', ['X-Forwarded-For: 192.0.2.1']))
    await answer(port, request('/echo', ['X-Forwarded-Host: farebox.example']))
    expect(early).not.toHaveBeenCalled()
    await answer(port, request('/echo'))
    expect(early).toHaveBeenCalledTimes(1)
  })

  it('every call of a seller that stops', async () => {
    const { app, port } = await openSelling()
    const connection = connected(port)
    const paying = vi.spyOn(Callers.prototype, 'admitPayment')
    const paid = request('/echo', [`PAYMENT-SIGNATURE: ${header(await signed())}`])
    connection.send(request('/shout') + paid.slice(0, -1))
    expect(await connection.next()).toMatch(/^HTTP\/1\.1 402 /)
    await until(() => paying.mock.calls.length > 0, 'the paid call to begin')
    const closed = app.close()
    connection.send(paid.slice(-1) + request('/echo'))
    expect(await connection.next()).toMatch(/^HTTP\/1\.1 415 /)
    expect(await connection.next()).toMatch(/^HTTP\/1\.1 503 /)
    await closed
    expect(early).toHaveBeenCalledTimes(1)
  })
})

describe('as in the framework', () => {
  it('calls count together, and above the limit each gets the 429', async () => {
    const { port } = await openSelling({ perMinute: 4 })
    const told: string[] = []
    for (const target of ['/echo', '/%65cho', '/echo', '/%65cho', '/echo', '/%65cho', '/shout'])
      told.push(await answer(port, request(target)))
    expect(told.map(text => text.slice(9, 12))).toEqual(['402', '402', '402', '402', '429', '429', '429'])
    const left = told.map(text => /ratelimit: "requests";r=(\d+)/.exec(text)?.[1])
    expect(left).toEqual(['3', '2', '1', '0', '0', '0', '0'])
    expect(told[4]).toContain('"error":"too_many_requests"')
  })

  it('each is counted among the quotes', async () => {
    const { port } = await openSelling({ origins: [originOf([echo], { name: 'counted' })] })
    for (let i = 0; i < 3; i++) await answer(port, request(i === 1 ? '/%65cho' : '/echo'))
    expect(await registry.getSingleMetricAsString('farebox_quotes_total')).toContain(
      'farebox_quotes_total{origin="counted",operation="echoOnce"} 3',
    )
  })

  it('a connection goes on, in order: bodies that come late, calls sent at once, and a paid one', async () => {
    const { port } = await openSelling()
    const connection = connected(port)
    const body = ' '.repeat(300_000)
    connection.send(request('/echo', [], 'POST', body).slice(0, -200_000))
    expect(await connection.next()).toMatch(/^HTTP\/1\.1 402 /)
    connection.send(' '.repeat(200_000))
    const paid = request(
      '/echo',
      ['Content-Type: application/json', `PAYMENT-SIGNATURE: ${header(await signed())}`],
      'POST',
      '{"say":"hi"}',
    )
    connection.send(request('/echo') + paid + request('/shout') + request('/%65cho'))
    const told = [
      await connection.next(),
      await connection.next(),
      await connection.next(),
      await connection.next(),
    ]
    expect(told.map(text => text.slice(9, 12))).toEqual(['402', '200', '402', '402'])
    expect(told[2]).toContain('/shout')
    connection.send(request('/echo', ['Connection: close']))
    expect(await connection.next()).toMatch(/\r\nConnection: close\r\n/)
    await connection.closed()
  })
})

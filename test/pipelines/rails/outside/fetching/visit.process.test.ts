/** The result of a visit, and its end when the server is hostile. */

import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { asCaller } from '../../../../../pipelines/rails/children/caller.ts'
import { VisitFailed } from '../../../../../pipelines/rails/outside/fetching/visit-failures.ts'
import { until } from '../../../../until.ts'
import { openWeb, publicAddress } from './web.ts'

const web = await openWeb()
const { visit } = web.fetch()

beforeEach(() => {
  web.names = new Map([['shop.sample', [[publicAddress]]]])
})
afterEach(() => {
  web.answer = (_, response) => response.end('hello')
})

const endOf = (visiting: Promise<unknown>): Promise<string> =>
  visiting.then(
    () => 'an answer',
    error => (error instanceof VisitFailed ? error.reason : `${error}`),
  )

/** Starts a TCP server whose side of the talk the test writes. */
async function raw(talk: (socket: Socket) => void) {
  const server = createServer(socket => talk(socket.on('error', () => {})))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return web.fetch({ reach: () => ({ host: '127.0.0.1', port }) })
}

describe('a visit', () => {
  it('returns status, headers, bytes and every hop', async () => {
    web.answer = (request, response) => {
      response.setHeader('content-type', 'text/plain; charset=UTF-8')
      response.end(JSON.stringify([request.method, request.url, request.headers]))
    }
    const { bytes, ...visited } = await visit('http://SHOP.sample./a?b=c#d', { accept: 'text/plain' })
    expect(visited).toMatchObject({
      url: 'http://shop.sample/a?b=c',
      status: 200,
      type: { essence: 'text/plain', charset: 'utf-8' },
      cut: false,
      certificateEndsAt: undefined,
      hops: [{ url: 'http://shop.sample/a?b=c', address: publicAddress, status: 200 }],
    })
    expect(JSON.parse(String(bytes))).toEqual([
      'GET',
      '/a?b=c',
      {
        host: 'shop.sample',
        'user-agent': 'Farebox/0.0 (+test)',
        accept: 'text/plain',
        'accept-encoding': 'gzip, br',
        connection: 'close',
      },
    ])
  })

  it.each([204, 304, 402, 404, 500])('accepts %i as an answer', async status => {
    web.answer = (_, response) => response.writeHead(status, { 'x-quote': '1' }).end()
    expect(await visit('http://shop.sample/')).toMatchObject({ status, headers: { 'x-quote': '1' } })
  })

  it('can send a body', async () => {
    web.answer = async (request, response) => {
      const parts = await request.toArray()
      response.end(`${request.method} ${request.headers['content-type']} ${Buffer.concat(parts)}`)
    }
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"ü":1}',
    } as const
    expect(String((await visit('http://shop.sample/', request)).bytes)).toBe('POST application/json {"ü":1}')
  })

  it.each([
    ['gzip', gzipSync('hello')],
    ['br', brotliCompressSync('hello')],
    ['GZIP', gzipSync('hello')],
    ['gzip, br', brotliCompressSync(gzipSync('hello'))],
    ['identity', Buffer.from('hello')],
  ])('unpacks %s', async (coding, body) => {
    web.answer = (_, response) => response.setHeader('content-encoding', coding).end(body)
    expect(String((await visit('http://shop.sample/')).bytes)).toBe('hello')
  })

  it('goes to the next address if the first one accepts no connection', async () => {
    web.names.set('shop.sample', [['93.184.216.1', publicAddress]])
    const { visit } = web.fetch({
      reach: (address, port) =>
        address === publicAddress ? web.reach(address, port) : { host: '127.0.0.1', port: 1 },
    })
    expect((await visit('http://shop.sample/')).hops[0]?.address).toBe(publicAddress)
  })

  it('visits a public address that is written as a number', async () => {
    web.answer = (request, response) => response.end(request.headers.host)
    expect(String((await visit(`http://${publicAddress}/`)).bytes)).toBe(publicAddress)
  })
})

describe('a redirect', () => {
  /** Answers /0 with a redirect, and every other path with the request itself. */
  const redirectWith = (status: number, location: string) => {
    web.answer = async (request, response) => {
      if (request.url === '/0') return void response.writeHead(status, { location }).end()
      const { method, url, headers } = request
      response.end(
        [method, url, headers.host, headers['x-key'], Buffer.concat(await request.toArray())].join(' '),
      )
    }
  }
  const post = { method: 'POST', headers: { 'x-key': 'k' }, body: 'b' } as const

  it.each([301, 302, 303])('%i turns POST into GET, without headers and body', async status => {
    redirectWith(status, '/1')
    expect(String((await visit('http://shop.sample/0', post)).bytes)).toBe('GET /1 shop.sample  ')
  })

  it.each([307, 308])('%i repeats headers and body', async status => {
    redirectWith(status, '/1')
    expect(String((await visit('http://shop.sample/0', post)).bytes)).toBe('POST /1 shop.sample k b')
  })

  it('sends no header or body to another host', async () => {
    web.names.set('other.sample', [[publicAddress]])
    redirectWith(307, 'http://other.sample/1')
    expect(String((await visit('http://shop.sample/0', post)).bytes)).toBe('GET /1 other.sample  ')
  })

  it('may be written in UTF-8', async () => {
    redirectWith(302, Buffer.from('/größe').toString('latin1'))
    expect((await visit('http://shop.sample/0')).url).toBe('http://shop.sample/gr%C3%B6%C3%9Fe')
  })

  it('is resolved by DNS at every hop, and each hop is listed', async () => {
    web.asked = []
    redirectWith(302, '/1')
    const { hops } = await visit('http://shop.sample/0')
    expect(hops.map(({ url, status }) => [url, status])).toEqual([
      ['http://shop.sample/0', 302],
      ['http://shop.sample/1', 200],
    ])
    expect(web.asked).toEqual(['shop.sample', 'shop.sample'])
  })

  it('is followed up to the requested number of times', async () => {
    let served = 0
    web.answer = (_, response) => response.writeHead(302, { location: `/${++served}` }).end()
    expect(await endOf(visit('http://shop.sample/'))).toBe('too_many_redirects')
    expect(served).toBe(6)
    expect(await endOf(visit('http://shop.sample/', { redirects: 1 }))).toBe('too_many_redirects')
    expect(served).toBe(8)
  })

  it('is followed at once, without its body', async () => {
    const { promise: left, resolve } = Promise.withResolvers<void>()
    web.answer = (request, response) => {
      if (request.url === '/1') return void response.end('hello')
      request.socket.once('close', () => resolve())
      response.writeHead(302, { location: '/1' }).write('wait for more')
    }
    expect(String((await visit('http://shop.sample/0')).bytes)).toBe('hello')
    await left
  })

  it('is the answer if none may be followed, or if it has no target', async () => {
    redirectWith(302, '/1')
    expect((await visit('http://shop.sample/0', { redirects: 0 })).status).toBe(302)
    web.answer = (_, response) => response.writeHead(302).end()
    expect((await visit('http://shop.sample/')).status).toBe(302)
  })

  it('keeps to the schemes of the visit', async () => {
    await expect(visit('http://shop.sample/', { schemes: ['https'] })).rejects.toThrow(
      'The scheme is http; it can only be https',
    )
  })
})

describe('a visit ends with a name', () => {
  const mega = 1 << 20
  const nothing = gzipSync('')
  const bombs: [string, string, () => Buffer][] = [
    ['a gzip bomb', 'gzip', () => gzipSync(Buffer.alloc(64 * mega))],
    ['a gzip bomb in gzip', 'gzip, gzip', () => gzipSync(gzipSync(Buffer.alloc(64 * mega)))],
    ['a brotli bomb', 'br', () => brotliCompressSync(Buffer.alloc(64 * mega))],
    [
      'packed nothing, a million times',
      'gzip, gzip',
      () => gzipSync(Buffer.alloc(nothing.length * 1e6, nothing)),
    ],
  ]
  it.each(bombs)('too_large: %s', async (_what, coding, make) => {
    const bomb = make()
    web.answer = (_, response) => response.setHeader('content-encoding', coding).end(bomb)
    const withoutHurry = { firstByteMs: 600_000, totalMs: 600_000 }
    expect(await endOf(visit('http://shop.sample/', withoutHurry))).toBe('too_large')
  })

  it('too_large: by its content-length, before the visit reads a byte', async () => {
    web.answer = (_, response) => response.writeHead(200, { 'content-length': 9 * mega }).flushHeaders()
    expect(await endOf(visit('http://shop.sample/'))).toBe('too_large')
  })

  it('too_large: without end', async () => {
    web.answer = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', more)
      more()
    }
    expect(await endOf(visit('http://shop.sample/'))).toBe('too_large')
  })

  it('broken_body: in pieces of a byte, which take no more memory than they have bytes', async () => {
    const { visit } = await raw(socket => {
      const pieces = Buffer.from('1\r\na\r\n'.repeat(20_000))
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const more = () => {
        while (!socket.destroyed && socket.write(pieces));
      }
      socket.on('drain', more)
      more()
    })
    const before = process.memoryUsage().rss
    expect(await endOf(visit('http://shop.sample/', { totalMs: 600_000 }))).toBe('broken_body')
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * mega)
  })

  it('crowded: if one caller, or all together, receive too much at once', async () => {
    const held: (() => void)[] = []
    web.answer = (_, response) => {
      response.write('x'.repeat(1_000))
      held.push(() => response.end())
    }
    const { visit } = web.fetch({ inHand: { mostBytes: 3_500, mostBytesOfCaller: 2_500 } })
    const visitFor = (caller: string) => asCaller(caller, () => endOf(visit('http://shop.sample/')))
    const first = [visitFor('a'), visitFor('a')]
    await until(() => held.length === 2, 'two visits to begin')
    expect(await visitFor('a')).toBe('crowded')
    first.push(visitFor('b'))
    await until(() => held.length === 4, 'a visit of another caller to begin')
    expect(await visitFor('c')).toBe('crowded')
    for (const end of held) end()
    expect(await Promise.all(first)).toEqual(['an answer', 'an answer', 'an answer'])
    web.answer = (_, response) => response.end('y'.repeat(2_400))
    expect(await visitFor('a')).toBe('an answer')
  })

  it('too_large: in its headers', async () => {
    const { visit } = await raw(socket =>
      socket.write(`HTTP/1.1 402 OK\r\nx: ${'x'.repeat(10 * mega)}\r\n\r\n`),
    )
    expect(await endOf(visit('http://shop.sample/'))).toBe('too_large')
  })

  it.each([
    ['an empty one', '', 0, false],
    ['as much as there may be', 'x'.repeat(1000), 1000, false],
    ['more than there may be', 'x'.repeat(1001), 1000, true],
    ['much more', 'x'.repeat(mega), 1000, true],
  ])('or with its beginning, if the caller wants that: %s', async (_what, body, length, cut) => {
    for (const [coding, sent] of [
      ['identity', body],
      ['gzip', gzipSync(body)],
    ] as const) {
      web.answer = (_, response) => response.setHeader('content-encoding', coding).end(sent)
      const visited = await visit('http://shop.sample/', { maxBytes: 1000, beyond: 'cut' })
      expect([visited.bytes.length, visited.cut]).toEqual([length, cut])
    }
  })

  it('unexpected_type: by the header, by the bytes, and before the rest is read', async () => {
    const wants = ({ essence }: { essence: string }) => essence === 'text/html'
    web.answer = (_, response) => response.setHeader('content-type', 'image/svg+xml').end('<svg/>')
    expect(await endOf(visit('http://shop.sample/', { wants }))).toBe('unexpected_type')
    web.answer = (_, response) => {
      response.setHeader('content-type', 'text/html')
      response.write(`%PDF-1.7\n${'x'.repeat(2000)}`)
    }
    expect(await endOf(visit('http://shop.sample/', { wants }))).toBe('unexpected_type')
  })

  it('timeout: an answer that does not begin', async () => {
    web.answer = () => {}
    expect(await endOf(visit('http://shop.sample/', { firstByteMs: 50 }))).toBe('timeout')
  })

  it('timeout: endless 103 responses', async () => {
    const { visit } = await raw(socket => {
      const hints = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5)
      socket.on('close', () => clearInterval(hints))
    })
    expect(await endOf(visit('http://shop.sample/', { firstByteMs: 100 }))).toBe('timeout')
  })

  it('timeout: headers, then a body, that trickle', async () => {
    for (const head of ['HTTP/1.1 200 OK\r\nx: ', 'HTTP/1.1 200 OK\r\n\r\n']) {
      const { visit } = await raw(socket => {
        socket.write(head)
        const drip = setInterval(() => socket.write('x'), 5)
        socket.on('close', () => clearInterval(drip))
      })
      expect(await endOf(visit('http://shop.sample/', { totalMs: 200 }))).toBe('timeout')
    }
  })

  it('timeout: DNS that does not answer', async () => {
    const { visit } = web.fetch({
      resolve: (_name, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    expect(await endOf(visit('http://shop.sample/', { totalMs: 50 }))).toBe('timeout')
  })

  it('dns: a name that does not exist, or has no address', async () => {
    web.names.set('empty.sample', [[]])
    expect(await endOf(visit('http://nowhere.sample/'))).toBe('dns')
    expect(await endOf(visit('http://empty.sample/'))).toBe('dns')
  })

  it('connection: refused, or ended before there is an answer', async () => {
    const refusing = web.fetch({ reach: () => ({ host: '127.0.0.1', port: 1 }) })
    await expect(refusing.visit('http://shop.sample/?q=1')).rejects.toThrow(
      /^shop\.sample accepts no connection: ECONNREFUSED$/,
    )
    const ending = await raw(socket => socket.destroy())
    expect(await endOf(ending.visit('http://shop.sample/'))).toBe('connection')
    const switching = await raw(socket =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'),
    )
    expect(await endOf(switching.visit('http://shop.sample/'))).toBe('connection')
  })

  it.each(['SSH-2.0-OpenSSH_9.2\r\n', '-ERR unknown command\r\n', 'HTTP/1.1 OK\r\n\r\n', '\0\0\0\0'])(
    'not_http: %j',
    async greeting => {
      const { visit } = await raw(socket => socket.end(greeting))
      expect(await endOf(visit('http://shop.sample/'))).toBe('not_http')
    },
  )

  it.each([
    ['cut off', 'content-length: 100', 'x'],
    ['cut off, in chunks', 'transfer-encoding: chunked', '5\r\nhello'],
    ['wrong chunks', 'transfer-encoding: chunked', 'zz\r\nhello'],
    ['not packed as it says', 'content-encoding: gzip', 'hello'],
    ['packed as we did not ask', 'content-encoding: zstd', 'hello'],
    ['packed as an object may be called', 'content-encoding: constructor', 'hello'],
    ['packed too often', 'content-encoding: gzip, gzip, gzip', 'hello'],
  ])('broken_body: %s', async (_what, header, body) => {
    const { visit } = await raw(socket => socket.end(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n${body}`))
    expect(await endOf(visit('http://shop.sample/'))).toBe('broken_body')
  })

  it('broken_body: packed, and cut off', async () => {
    web.answer = (_, response) =>
      response.setHeader('content-encoding', 'gzip').end(gzipSync('hello'.repeat(1000)).subarray(0, 30))
    expect(await endOf(visit('http://shop.sample/'))).toBe('broken_body')
  })

  it("or by its caller's signal, and leaves nothing open", async () => {
    const stopping = new AbortController()
    const { promise: left, resolve } = Promise.withResolvers<void>()
    web.answer = request => {
      request.socket.once('close', () => resolve())
      stopping.abort(new Error('stopping'))
    }
    await expect(visit('http://shop.sample/', { signal: stopping.signal })).rejects.toThrow('stopping')
    await left
    await expect(visit('http://shop.sample/', { signal: stopping.signal })).rejects.toThrow('stopping')
  })
})

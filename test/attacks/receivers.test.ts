/** Receivers of webhooks and servers of pages whose answers make the next request worse. */
import type { ServerResponse } from 'node:http'
import { createBrotliCompress, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { post } from '../../pipelines/rails/outbox/post.ts'
import { openWeb, publicAddress } from '../pipelines/rails/outside/fetching/web.ts'

const web = await openWeb()
const small = gzipSync(Buffer.alloc(64 << 20))
const smaller = gzipSync(small)
const secret = Buffer.alloc(32, 7)

beforeEach(() => {
  web.names = new Map([
    ['shop.sample', [[publicAddress]]],
    ['other.sample', [[publicAddress]]],
    ['inside.sample', [['10.0.0.5']]],
  ])
  web.strays = 0
})

const posted = (totalMs = 15_000) =>
  post(
    web.fetch(),
    { url: 'http://shop.sample/hook', secrets: [secret], body: '{"type":"endpoint.down"}' },
    {
      id: 'msg_1',
      sign: () => 'of the service',
      signal: new AbortController().signal,
      totalMs,
      now: Date.now,
    },
  )
const answering = (answer: (response: ServerResponse, url: string) => void) => {
  const heard: { host: string; url: string; cookie: string | undefined; hook: boolean }[] = []
  web.answer = (request, response) => {
    const { host = '', cookie } = request.headers
    heard.push({ host, url: request.url ?? '', cookie, hook: 'webhook-signature' in request.headers })
    request.resume().once('end', () => answer(response, request.url ?? ''))
  }
  return heard
}
const pour = (
  response: NodeJS.WritableStream & { destroyed?: boolean },
  chunk = Buffer.alloc(1 << 16, ' '),
) => {
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}

describe('a receiver of webhooks', () => {
  it.each([301, 302, 303, 307, 308])(
    'that redirects us with %i gets no signature to anybody else',
    async status => {
      const heard = answering(response =>
        response.writeHead(status, { location: 'http://inside.sample/' }).end(),
      )
      expect(await posted()).toMatchObject({ outcome: 'failed', status })
      expect(heard.map(({ host }) => host)).toEqual(['shop.sample'])
      expect(web.strays).toBe(0)
    },
  )

  it.each<[string, (response: ServerResponse) => void]>([
    ['a body without an end', response => pour(response.writeHead(200))],
    [
      'a packed body that is a gigabyte',
      response => {
        const bomb = createBrotliCompress()
        bomb.pipe(response.writeHead(200, { 'content-encoding': 'br' }))
        pour(bomb, Buffer.alloc(1 << 20))
      },
    ],
    [
      'a pause of a million years',
      response => response.writeHead(200, { 'retry-after': '9'.repeat(300) }).end(),
    ],
    ['cookies', response => response.writeHead(200, { 'set-cookie': 'a=b; Domain=sample' }).end()],
    [
      'another protocol',
      response => response.writeHead(200, { upgrade: 'h2c', 'alt-svc': 'h2="inside.sample:80"' }).end(),
    ],
  ])('that answers with %s has received it, once', async (_, answer) => {
    const heard = answering(answer)
    expect(await posted()).toMatchObject({ outcome: 'delivered', status: 200 })
    expect(heard).toHaveLength(1)
    expect(web.strays).toBe(0)
  })

  it.each([
    '-1',
    'NaN',
    '1e9',
    'Infinity',
    '99999999999999999999',
    new Date(8.64e15).toUTCString(),
    '\u00e9',
  ])('that asks for a pause of %s is tried again within a day', async retryAfter => {
    answering(response =>
      response.writeHead(503, { 'retry-after': Buffer.from(retryAfter).toString('latin1') }).end(),
    )
    const { retryAfterMs = 0 } = await posted()
    expect(retryAfterMs).toBeGreaterThanOrEqual(0)
    expect(retryAfterMs).toBeLessThanOrEqual(86_400_000)
  })

  it('that never answers is left, and takes nobody else’s turn', async () => {
    answering(() => {})
    expect(await posted(200)).toMatchObject({ outcome: 'failed', status: null, problem: 'timeout' })
  })
})

describe('a page', () => {
  it('that gives cookies never gets one back: not at the next hop, nor at the next visit, nor at a neighbour’s', async () => {
    const heard = answering((response, url) => {
      const cookies = { 'set-cookie': ['id=1; Path=/', 'all=1; Domain=sample'] }
      if (url === '/first') response.writeHead(302, { ...cookies, location: '/second' }).end()
      else response.writeHead(200, cookies).end('hello')
    })
    const { visit } = web.fetch()
    await visit('http://shop.sample/first')
    await visit('http://shop.sample/again')
    await visit('http://other.sample/')
    expect(heard).toHaveLength(4)
    expect(heard.map(({ cookie }) => cookie)).toEqual(heard.map(() => undefined))
  })

  it.each([
    'http://inside.sample/',
    'http://user:pass@10.0.0.5/',
    'http://[::ffff:10.0.0.5]/',
    'http://0xa.5/',
    'gopher://inside.sample/',
    'file:///etc/passwd',
    'http://shop.sample:22/',
    '//10.0.0.5/',
    '\\\\10.0.0.5\\share',
  ])(
    'that leads to %s by its redirect, its refresh or its alternative is not followed there',
    async target => {
      answering(response =>
        response
          .writeHead(302, {
            location: target,
            refresh: `0; url=${target}`,
            'alt-svc': 'h2="10.0.0.5:80"',
            link: `<${target}>; rel=preload`,
          })
          .end(),
      )
      await expect(web.fetch().visit('http://shop.sample/')).rejects.toMatchObject({ name: 'NotPublic' })
      expect(web.strays).toBe(0)
    },
  )

  it.each<[string, (response: ServerResponse) => void]>([
    [
      'packed a hundred times smaller',
      response => response.writeHead(200, { 'content-encoding': 'gzip' }).end(small),
    ],
    ['packed twice', response => response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(smaller)],
    [
      'packed five times',
      response => response.writeHead(200, { 'content-encoding': 'gzip, gzip, gzip, gzip, gzip' }).end('x'),
    ],
    ['without an end', response => pour(response.writeHead(200))],
  ])('that is %s is refused while it is read', async (_, answer) => {
    answering(answer)
    const before = process.memoryUsage().arrayBuffers
    await expect(web.fetch().visit('http://shop.sample/', { maxBytes: 1 << 20 })).rejects.toMatchObject({
      reason: expect.stringMatching(/^(too_large|broken_body)$/),
    })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 << 20)
  })
})

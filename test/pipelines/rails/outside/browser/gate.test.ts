import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Gate, type GateOptions, openGate } from '../../../../../pipelines/rails/outside/browser/gate.ts'
import { spellingsOf } from '../fetching/spellings.ts'
import { openWeb, publicAddress, type Web } from '../fetching/web.ts'

let web: Web
beforeAll(async () => {
  web = await openWeb()
})

async function open(options: Partial<GateOptions> = {}): Promise<Gate> {
  const gate = await openGate({ resolve: web.resolve, reach: web.reach, ...options })
  onTestFinished(() => gate.close())
  return gate
}

/** Sends a request as a browser does through a proxy. */
function through({ port }: Gate, path: string, headers: Record<string, string> = { host: 'any' }) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status?: number | undefined; body: string }>()
  request({ port, host: '127.0.0.1', path, headers, setHost: false }, async response => {
    resolve({ status: response.statusCode, body: await text(response).catch(() => 'broken off') })
  })
    .on('error', reject)
    .end()
  return promise
}

function tunnel({ port }: Gate, authority: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1', () => socket.write(`CONNECT ${authority} HTTP/1.1\r\n\r\n`))
  socket.on('error', reject).once('data', data => {
    resolve(String(data).split('\r\n')[0] as string)
    socket.destroy()
  })
  return promise
}

describe('the gate', () => {
  it('passes a request on, with the headers for the server, and remembers the dialled address', async () => {
    const gate = await open()
    web.answer = ({ url, headers }, response) =>
      response.end(`${url} ${headers.host} ${headers['proxy-connection']}`)
    const headers = { host: 'shop.sample', 'proxy-connection': 'keep-alive' }
    expect(await through(gate, 'http://shop.sample/a?b=1', headers)).toEqual({
      status: 200,
      body: '/a?b=1 shop.sample undefined',
    })
    expect(gate.addressOf('shop.sample')).toBe(publicAddress)
    expect(gate.bytes).toBeGreaterThan(20)
  })

  it('opens a tunnel to a public address', async () => {
    expect(await tunnel(await open(), 'shop.sample:443')).toBe('HTTP/1.1 200 Connection established')
  })

  const inside = ['10.0.0.5', '127.0.0.1', '169.254.169.254', '192.168.0.1']
    .flatMap(spellingsOf)
    // No client can send the others over the wire.
    .filter(host => /^[!-~]+$/.test(host))
  it.each([...inside, '[::1]', '[fe80::1]', '[fd00::1]', 'localhost', 'intranet'])(
    'refuses %s, in the clear and through a tunnel',
    async host => {
      const gate = await open()
      expect((await through(gate, `http://${host}/`).catch(() => ({ status: 502 }))).status).toBeGreaterThan(
        399,
      )
      expect(await tunnel(gate, `${host}:443`)).toMatch(/^HTTP\/1\.1 (400|502)/)
      expect(web.strays).toBe(0)
    },
  )

  it.each(['shop.sample:22', 'shop.sample:8443', 'shop.sample:0', 'shop.sample:99999'])(
    'opens no tunnel to %s',
    async to => {
      expect(await tunnel(await open(), to)).toMatch(/^HTTP\/1\.1 (400|502)/)
    },
  )

  it('dials the first checked address of a name, whatever the name resolves to by now', async () => {
    web.names.set('rebound.sample', [[publicAddress], ['10.0.0.5']])
    const gate = await open()
    web.answer = (_, response) => response.end('the page')
    for (let n = 0; n < 3; n++)
      expect(await through(gate, 'http://rebound.sample/', { host: 'rebound.sample' })).toMatchObject({
        body: 'the page',
      })
    expect(web.strays).toBe(0)
  })

  it('remembers the reason of a refusal, and shows the page nothing', async () => {
    web.names.set('inside.sample', [['10.0.0.5']])
    const gate = await open()
    expect(await through(gate, 'http://inside.sample/')).toEqual({ status: 502, body: '' })
    expect(gate.failureOf('inside.sample')?.message).toBe(
      'inside.sample resolves to an address that is not public',
    )
  })

  it('cuts all connections of a page that wants more bytes than it may have', async () => {
    const gate = await open({ mostBytes: 100_000 })
    web.answer = (_, response) => response.end('x'.repeat(1_000_000))
    expect(await through(gate, 'http://shop.sample/', { host: 'shop.sample' })).toMatchObject({
      body: 'broken off',
    })
    expect(gate.isOverdrawn).toBe(true)
    expect(await through(gate, 'http://shop.sample/')).toMatchObject({ status: 502 })
  })

  it('is not a proxy for a request without an address', async () => {
    expect(await through(await open(), '/')).toMatchObject({ status: 502 })
  })
})

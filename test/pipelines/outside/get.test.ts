import { describe, expect, it } from 'vitest'
import { UpstreamFailed } from '../../../pipelines/failures.ts'
import { createOutside } from '../../../pipelines/outside/open.ts'
import type { Outside } from '../../../pipelines/outside/outside.ts'
import { startUpstream } from '../../upstream.ts'

const outside = (signal = new AbortController().signal): Outside =>
  createOutside({ at: {} as Outside['at'], contact: 'ops@farebox.example', dataDir: '.', now: Date.now })(
    signal,
  )

describe('a request to the outside', () => {
  it('says who asks, and gives the body with its validators', async () => {
    const { url, asked } = await startUpstream((_, response) =>
      response.writeHead(200, { etag: '"1"', 'last-modified': 'yesterday' }).end('rates'),
    )
    const answer = await outside().get(`${url}/a`, { accept: 'application/xml' })
    expect(answer.text()).toBe('rates')
    expect(answer.validators).toEqual({ etag: '"1"', lastModified: 'yesterday' })
    expect(asked[0]?.headers).toMatchObject({
      'user-agent': expect.stringMatching(/^Farebox\/.*\(\+ops@farebox\.example\)$/),
      accept: 'application/xml',
    })
  })

  it('sends the validators and hears that nothing changed', async () => {
    const { url, asked } = await startUpstream((_, response) => response.writeHead(304).end())
    const validators = { etag: '"1"', lastModified: 'yesterday' }
    const answer = await outside().get(url, { validators })
    expect(answer.unchanged).toBe(true)
    expect(answer.validators).toEqual(validators)
    expect(asked[0]?.headers).toMatchObject({ 'if-none-match': '"1"', 'if-modified-since': 'yesterday' })
  })

  it.each([404, 500, 503])('fails on %i', async status => {
    const { url } = await startUpstream((_, response) => response.writeHead(status).end('x'))
    await expect(outside().get(url)).rejects.toThrow(new UpstreamFailed(`${url} answered ${status}`))
  })

  it('fails on a body over its cap, without reading on', async () => {
    const { url } = await startUpstream((_, response) => {
      response.writeHead(200)
      const more = () => {
        while (response.write(Buffer.alloc(65_536)));
        response.once('drain', more)
      }
      more()
    })
    await expect(outside().get(url, { maxBytes: 100_000 })).rejects.toThrow(/more than 100000 bytes/)
  })

  it('fails when the upstream hangs', async () => {
    const { url } = await startUpstream(() => {})
    await expect(outside().get(url, { timeoutMs: 50 })).rejects.toThrow(UpstreamFailed)
  })

  it('ends with the tick it is made for', async () => {
    const tick = new AbortController()
    const { url } = await startUpstream(() => tick.abort(new Error('stopping')))
    await expect(outside(tick.signal).get(url)).rejects.toThrow(UpstreamFailed)
  })

  it('takes for an answer what proves to be one, whatever its status, and nothing else', async () => {
    const { url } = await startUpstream(({ url: path = '' }, response) =>
      response.writeHead(path === '/no' ? 404 : 200).end(path === '/no' ? 'no such point' : 'please log in'),
    )
    const proof = (status: number, text: string) => status === 404 && text.includes('point')
    expect(await outside().get(`${url}/no`, { proof })).toMatchObject({ status: 404, unchanged: false })
    await expect(outside().get(`${url}/login`, { proof })).rejects.toThrow(UpstreamFailed)
  })

  it('says what happened when nobody is there', async () => {
    await expect(outside().get('http://127.0.0.1:1/feed')).rejects.toThrow(
      /127\.0\.0\.1:1.*(ECONNREFUSED|bad port)/,
    )
  })
})

import { describe, expect, it } from 'vitest'
import { UpstreamFailed } from '../../../../../pipelines/rails/failures.ts'
import { createOutside } from '../../../../../pipelines/rails/outside/upstreams/open-outside.ts'
import type { Answer, Outside } from '../../../../../pipelines/rails/outside/upstreams/outside.ts'
import { startUpstream } from '../../../../upstream.ts'
import { someUpstream } from './some-upstream.ts'

const feed = someUpstream('FEED_URL')
const outsideAt = (url: string, signal = new AbortController().signal): Outside =>
  createOutside({ at: { FEED_URL: url }, contact: 'ops@farebox.example', now: Date.now })(signal)

describe('a request to the outside', () => {
  it('names the asker, and returns the body with its validators', async () => {
    const { url, asked } = await startUpstream((_, response) =>
      response.writeHead(200, { etag: '"1"', 'last-modified': 'yesterday' }).end('rates'),
    )
    const answer = await outsideAt(url).get(feed, '/a', { accept: 'application/xml' })
    expect(answer.text()).toBe('rates')
    expect(answer.validators).toEqual({ etag: '"1"', lastModified: 'yesterday' })
    expect(asked[0]?.headers).toMatchObject({
      'user-agent': expect.stringMatching(/^Farebox\/.*\(\+ops@farebox\.example\)$/),
      accept: 'application/xml',
    })
  })

  it('sends the validators and gets an answer that nothing changed', async () => {
    const { url, asked } = await startUpstream((_, response) => response.writeHead(304).end())
    const validators = { etag: '"1"', lastModified: 'yesterday' }
    const answer = await outsideAt(url).get(feed, '/', { validators })
    expect(answer.unchanged).toBe(true)
    expect(answer.validators).toEqual(validators)
    expect(asked[0]?.headers).toMatchObject({ 'if-none-match': '"1"', 'if-modified-since': 'yesterday' })
  })

  it.each([404, 500, 503])('fails on %i', async status => {
    const { url } = await startUpstream((_, response) => response.writeHead(status).end('x'))
    await expect(outsideAt(url).get(feed, '/x')).rejects.toThrow(`${url}/x answered ${status}`)
  })

  it('fails on a body over its limit, without reading on', async () => {
    const { url } = await startUpstream((_, response) => {
      response.writeHead(200)
      const more = () => {
        while (response.write(Buffer.alloc(65_536)));
        response.once('drain', more)
      }
      more()
    })
    await expect(outsideAt(url).get(feed, '/', { maxBytes: 100_000 })).rejects.toThrow(
      /more than 100000 bytes/,
    )
  })

  it('fails when the upstream hangs', async () => {
    const { url } = await startUpstream(() => {})
    await expect(outsideAt(url).get(feed, '/', { timeoutMs: 50 })).rejects.toThrow(UpstreamFailed)
  })

  it('ends with its tick', async () => {
    const tick = new AbortController()
    const { url } = await startUpstream(() => tick.abort(new Error('stopping')))
    await expect(outsideAt(url, tick.signal).get(feed, '/')).rejects.toThrow(UpstreamFailed)
  })

  it('accepts an answer with proof, whatever its status, and nothing else', async () => {
    const { url } = await startUpstream(({ url: path = '' }, response) =>
      response.writeHead(path === '/no' ? 404 : 200).end(path === '/no' ? 'no such point' : 'please log in'),
    )
    const proof = ({ status, text }: Answer) => status === 404 && text().includes('point')
    expect(await outsideAt(url).get(feed, '/no', { proof })).toMatchObject({ status: 404, unchanged: false })
    await expect(outsideAt(url).get(feed, '/login', { proof })).rejects.toThrow(UpstreamFailed)
  })

  it('says what happened if nobody listens', async () => {
    await expect(outsideAt('http://127.0.0.1:1').get(feed, '/feed')).rejects.toThrow(
      /127\.0\.0\.1:1.*(ECONNREFUSED|bad port)/,
    )
  })

  it('does not repeat a path with text of a caller', async () => {
    const { url } = await startUpstream((_, response) => response.writeHead(500).end())
    const asked = outsideAt(url).get(feed, '/places?address=1+Main+St', { secret: true })
    await expect(asked).rejects.toThrow(/^FEED_URL answered 500$/)
  })

  it('refuses an upstream without an address', async () => {
    const asked = outsideAt('http://127.0.0.1:1').get(someUpstream('OTHER_URL'), '/')
    await expect(asked).rejects.toThrow('OTHER_URL has no address')
  })
})

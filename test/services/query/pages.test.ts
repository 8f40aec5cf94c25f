/** The pages for people and the addresses that crawlers look at, over the real server. */
import { describe, expect, it } from 'vitest'
import { catalogPages } from '../../../services/query/catalog/pages.ts'
import { originOf } from '../an-origin.ts'
import { echo } from '../till/paying.ts'
import { openSelling } from './selling.ts'

const told = {
  contact: 'ops@farebox.example',
  paidOn: 'Base',
  requestsAMinute: 600,
  mcpUrl: 'https://farebox.example/mcp',
}
async function open() {
  const shop = await openSelling({ origins: [originOf([echo])], pages: catalogPages(told) })
  const get = (path: string, headers: Record<string, string> = {}) =>
    shop.ask({ path, headers, method: 'GET' })
  return { ...shop, get }
}
const people = { accept: 'text/html' }

describe('a page for people', () => {
  it.each(['/', '/docs/echo'])('%s loads, runs and frames nothing of others', async path => {
    const { get } = await open()
    const answer = await get(path, people)
    const text = await answer.text()
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(text).not.toMatch(/<script|style="| src="|@import|url\(/)
  })

  it('shows an operation whole: fields, refusals, a true answer, and how it is called', async () => {
    const { get } = await open()
    const text = await (await get('/docs/echo')).text()
    for (const part of [
      'say',
      'said',
      'no_echo',
      '0.002 USDC',
      'curl -i -X POST',
      'farebox.echo(',
      'x402HttpxClient',
    ])
      expect(text).toContain(part)
    expect(text).toContain('https://farebox.example/mcp')
  })

  it('of no operation is not found', async () => {
    const { get } = await open()
    for (const path of ['/docs/nothing', '/docs/', '/docs/echo/']) expect((await get(path)).status).toBe(404)
    expect((await get('/docs/%E0%A4%A')).status).toBeGreaterThanOrEqual(400)
  })

  it('is sent once to who keeps it', async () => {
    const { get } = await open()
    const etag = (await get('/docs/echo')).headers.get('etag') ?? ''
    const again = await get('/docs/echo', { 'if-none-match': etag })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    expect((await get('/docs/echo', { 'if-none-match': '"another"' })).status).toBe(200)
  })
})

describe('what crawlers look at', () => {
  it('leads to every page', async () => {
    const { get } = await open()
    expect(await (await get('/robots.txt')).text()).toContain('Sitemap: https://farebox.example/sitemap.xml')
    const map = await (await get('/sitemap.xml')).text()
    for (const path of ['/', '/market', '/status', '/docs/echo'])
      expect(map).toContain(`<loc>https://farebox.example${path}</loc>`)
  })

  it('says whom to tell of a fault, and not for ever', async () => {
    const { get } = await open()
    const text = await (await get('/.well-known/security.txt')).text()
    expect(text).toContain('Contact: mailto:ops@farebox.example')
    const expires = Date.parse(/Expires: (.+)/.exec(text)?.[1] ?? '')
    expect(expires).toBeGreaterThan(Date.now() + 86_400_000)
    expect(expires).toBeLessThan(Date.now() + 366 * 86_400_000)
  })

  it('leads from a page and from a quote to what programs read', async () => {
    const { get, ask } = await open()
    for (const answer of [await get('/'), await ask()])
      expect(answer.headers.get('link')).toContain('</openapi.json>; rel="service-desc"')
  })

  it('names the tools of MCP', async () => {
    const { get } = await open()
    expect(await (await get('/.well-known/mcp.json')).json()).toEqual({
      name: 'farebox',
      url: 'https://farebox.example/mcp',
      transport: 'streamable-http',
      tools: ['echo', 'get_service_info', 'try_it_free'],
    })
  })
})

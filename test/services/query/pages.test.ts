/** The pages for people and the addresses that crawlers look at, over the real server. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { pageOf } from '../../../services/query/catalog/changelog-page.ts'
import type { CatalogOptions } from '../../../services/query/catalog/offered.ts'
import { catalogPages } from '../../../services/query/catalog/pages.ts'
import { examples, snippet, textOf } from '../../../services/query/catalog/snippets.ts'
import { escaped } from '../../../services/query/face/text.ts'
import { originOf } from '../an-origin.ts'
import { echo } from '../till/paying.ts'
import { openSelling } from './selling.ts'

const told = {
  contact: 'ops@farebox.example',
  paidOn: 'Base',
  requestsAMinute: 600,
  mcpUrl: 'https://farebox.example/mcp',
}
async function open(options: CatalogOptions = told) {
  const shop = await openSelling({ origins: [originOf([echo])], pages: catalogPages(options) })
  const get = (path: string, headers: Record<string, string> = {}) =>
    shop.ask({ path, headers, method: 'GET' })
  return { ...shop, get }
}
const people = { accept: 'text/html' }

describe('a page for people', () => {
  it.each(['/', '/docs', '/docs/echo', '/changelog'])(
    '%s loads, runs and frames nothing from elsewhere',
    async path => {
      const { get } = await open()
      const answer = await get(path, people)
      const text = await answer.text()
      expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
      expect(text).not.toMatch(/style="|@import|url\(/)
      expect(text.match(/<script[^>]*>[^<]*| src="[^"]*"/g)).toEqual([
        '<script src="/finder.js" type="module">',
      ])
      expect(answer.headers.get('content-security-policy')).toMatch(/; script-src 'self'$/)
    },
  )

  it('shows a whole operation: fields, refusals, a true answer, and how to call it', async () => {
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

  it('shows the tested examples, with the operation’s own path and question in them', async () => {
    const { get } = await open()
    const text = await (await get('/docs/echo')).text()
    for (const { file } of examples) expect(text).toContain(escaped(textOf(file).split('\n')[1] ?? ''))
    expect(text).toContain(escaped('FAREBOX_URL}/echo`, {'))
    expect(text).toContain(escaped('http.post(f"{url}/echo", json={"say":"hello"})'))
    expect(text).not.toContain('/fx')
    const asked = { ...echo, example: { request: { say: "it's", loud: true }, response: {} } }
    const written = snippet(examples[1] as never, { ...asked, origin: { url: '' } } as never)
    expect(written).toContain('json={"say":"it\'s","loud":True})')
  })

  it('tries nothing if the money is real', async () => {
    const { get } = await open()
    const answer = await get('/docs/echo', people)
    expect(await answer.text()).not.toContain('id="try"')
    expect(answer.headers.get('content-security-policy')).not.toContain('connect-src')
  })

  it('lets a wallet of the browser pay where the money is real, with caps, by our own scripts', async () => {
    const { caip2: id, title, asset, explorer, domain } = networks.base
    const { get } = await open({ ...told, wallets: [{ id, title, asset, explorer, domain }] })
    const answer = await get('/docs/echo', people)
    expect(answer.headers.get('content-security-policy')).toMatch(/; script-src 'self'; connect-src 'self'$/)
    const text = await answer.text()
    expect(text).toContain(escaped(JSON.stringify([{ id, title, asset, explorer, domain }])))
    expect(text).toContain('id="try-cap" type="number" min="0" step="any" size="8" value="0.002"')
    expect(text).toContain('id="try-cap-all" type="number" min="0" step="any" size="8" value="0.02"')
    expect(text).not.toContain('play money')
    for (const path of ['/try-it.js', '/try-it-wallet.js', '/try-it-solana.js'])
      expect((await get(path)).headers.get('content-type')).toContain('text/javascript')
  })

  it('runs one script of ours to pay with play money', async () => {
    const page = { path: '/pay', answer: () => ({ type: 'application/json', body: '{}' }) }
    const play = { page, networks: [{ id: 'eip155:8453', title: 'Base' }] }
    const { get } = await open({ ...told, play })
    const answer = await get('/docs/echo', people)
    expect(answer.headers.get('content-security-policy')).toMatch(/; script-src 'self'; connect-src 'self'$/)
    const text = await answer.text()
    expect(text.match(/<script[^>]*>/g)).toEqual([
      '<script src="/finder.js" type="module">',
      '<script src="/try-it.js" type="module">',
    ])
    expect(text).toMatch(
      /id="try" data-method="POST" data-path="\/echo" data-url="https:\/\/farebox.example" data-pay-at="\/pay"/,
    )
    expect((await get('/try-it.js')).headers.get('content-type')).toContain('text/javascript')
  })

  it('serves what draws here to browsers, too, with all that it imports and without types', async () => {
    const warned: string[] = []
    const heard = ({ message }: Error) => warned.push(message)
    process.on('warning', heard)
    const { get } = await open({ ...told })
    const seen = new Set<string>()
    const walk = async (path: string): Promise<void> => {
      if (seen.has(path)) return
      seen.add(path)
      const answer = await get(path)
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/javascript; charset=utf-8',
      ])
      const text = await answer.text()
      expect(text).not.toMatch(/^(import type|export (type|interface)) /m)
      for (const [, name = ''] of text.matchAll(/from '([^']+)'/g))
        await walk(new URL(name, `https://x.example${path}`).pathname)
    }
    await walk('/drawn/query/face/drawn.ts')
    expect(seen).toContain('/drawn/query/face/text.ts')
    for (const other of ['/drawn/main.ts', '/drawn/config/config.ts', '/drawn/..%2f..%2fpackage.json'])
      expect((await get(other)).status).toBe(404)
    process.off('warning', heard)
    expect(warned.filter(line => line.includes('stripTypeScriptTypes'))).toEqual([])
  })

  it('shows the changes, from the file', async () => {
    const { get } = await open()
    const text = await (await get('/changelog')).text()
    expect(text).toContain(
      '<h2 id="v0.19.0">0.19.0 <small><time datetime="2026-11-21">2026-11-21</time></small></h2>',
    )
    expect(pageOf('# A\n\n- one `x<y`\n  more\n- **two** [a](https://b.example)\n\nText\ngoes on')).toBe(
      '<h1>A</h1>\n<ul><li>one <code>x&lt;y</code> more</li><li><strong>two</strong> <a href="https://b.example">a</a></li></ul>\n<p>Text goes on</p>',
    )
    expect(pageOf('## 1.2.0, 2026-01-02\n\n#### New\n\n- a\n- b\n\n### For b\n\nText')).toBe(
      '<h2 id="v1.2.0">1.2.0 <small><time datetime="2026-01-02">2026-01-02</time></small></h2>\n<details><summary>New <small>2</small></summary><ul><li>a</li><li>b</li></ul></details>\n<h3>For b</h3>\n<p>Text</p>',
    )
  })

  it('shows the changes as a feed, with a date for every version of the file', async () => {
    const { get } = await open()
    const answer = await get('/changelog.atom')
    expect(answer.headers.get('content-type')).toContain('application/atom+xml')
    const text = await answer.text()
    expect(text).toContain('<id>https://farebox.example/changelog#v0.19.0</id>')
    const headings = readFileSync('CHANGELOG.md', 'utf8').match(/^## /gm)
    expect(text.match(/<entry>/g)).toHaveLength(headings?.length ?? 0)
    expect(text).toMatch(/<updated>\d{4}-\d{2}-\d{2}T00:00:00Z<\/updated>/)
  })

  it('lists every operation with its price and refusals', async () => {
    const { get } = await open()
    const text = await (await get('/docs')).text()
    // payment_unknown stands there, too: who reads that it costs nothing signs a second payment.
    expect(text).toContain('id="code-payment_unknown"')
    expect(text).toContain('send the same payment again')
    expect(text).not.toContain('None of them costs anything')
    for (const part of [
      'href="/docs/echo"',
      'POST /echo',
      'https://farebox.example',
      '0.002 USDC',
      'no_echo',
    ])
      expect(text).toContain(part)
  })

  it('has a script that suggests places, from the same house alone', async () => {
    const { get } = await open()
    const script = await get('/places.js')
    expect([script.status, script.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
    expect(await script.text()).not.toMatch(/https?:/)
    const { places } = (await (await get('/places.json?of=address&q=Seatt')).json()) as {
      places: { text: string }[]
    }
    expect(places[0]?.text).toBe('Seattle, WA')
  })

  it('begins with one call, three questions of each origin, and what is true now', async () => {
    let calls = 0
    const figures = async () => [{ name: 'calls <today>', value: String(++calls) }]
    const { get } = await open({ ...told, figures })
    const first = await (await get('/', people)).text()
    for (const part of [
      '402 Payment Required',
      'href="/docs/echo"',
      '{&quot;say&quot;:',
      '<dt>calls &lt;today&gt;</dt><dd>1</dd>',
    ])
      expect(first).toContain(part)
    expect(await (await get('/', people)).text()).toContain('<dd>2</dd>')
  })

  it('has a picture for who shows a link to it: a PNG of its own words, at an address of its own', async () => {
    const { get } = await open()
    const text = await (await get('/docs/echo', people)).text()
    const [, address = ''] = /<meta property="og:image" content="([^"]+)">/.exec(text) ?? []
    expect(address).toBe('https://farebox.example/docs/echo/picture.png')
    const sizes = []
    for (const path of ['/docs/echo/picture.png', '/docs/picture.png']) {
      const answer = await get(path)
      expect(answer.headers.get('content-type')).toBe('image/png')
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect(bytes.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
      expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630])
      sizes.push(bytes.length)
    }
    expect(sizes[0]).not.toBe(sizes[1])
    expect((await get('/docs/nope/picture.png')).status).toBe(404)
  })

  it('has a search that holds all names of what is offered', async () => {
    const { get } = await open()
    const script = await (await get('/finder.js')).text()
    const [, offered = ''] = /^const offered = (.*)$/m.exec(script) ?? []
    expect(JSON.parse(offered)).toEqual([
      {
        ...{ href: '/docs/echo', path: '/echo', title: echo.title, fee: '0.002 USDC' },
        fields: expect.arrayContaining(['say', 'said']),
        codes: Object.keys(echo.refusals),
      },
    ])
  })

  it('of no operation is not found', async () => {
    const { get } = await open()
    for (const path of ['/docs/nothing', '/docs/', '/docs/echo/']) expect((await get(path)).status).toBe(404)
    expect((await get('/docs/%E0%A4%A')).status).toBeGreaterThanOrEqual(400)
  })

  it('is sent once to a client that keeps it', async () => {
    const { get } = await open()
    const etag = (await get('/docs/echo')).headers.get('etag') ?? ''
    const again = await get('/docs/echo', { 'if-none-match': etag })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    expect((await get('/docs/echo', { 'if-none-match': '"another"' })).status).toBe(200)
  })
})

describe('a failure', () => {
  it('is a page for a browser, with what was probably meant, and JSON for a program', async () => {
    const { get } = await open()
    const missed = await get('/docs/ehco', people)
    expect([missed.status, missed.headers.get('content-type'), missed.headers.get('vary')]).toEqual([
      404,
      'text/html; charset=utf-8',
      expect.stringMatching(/^accept\b/),
    ])
    expect(missed.headers.get('content-security-policy')).toContain("default-src 'none'")
    const text = await missed.text()
    expect(text).toContain('Did you mean')
    expect(text).toContain('<a href="/docs/echo">')
    const nothing = await (await get('/zzzzzzzzzzzzzzzz"<b>', people)).text()
    expect(nothing).not.toMatch(/Did you mean|"<b>/)
    for (const accept of ['*/*', 'application/json', ''])
      expect(await (await get('/docs/ehco', { accept })).json()).toMatchObject({
        error: 'not_found',
        charged: false,
      })
  })

  it('of a GET of an operation leads a person to its page, and tells a program the methods', async () => {
    const { url } = await open()
    const asked = (headers: Record<string, string>) => fetch(`${url}/echo`, { headers, redirect: 'manual' })
    const led = await asked(people)
    expect([led.status, led.headers.get('location')]).toEqual([303, '/docs/echo'])
    const program = await asked({ accept: '*/*' })
    expect([program.status, program.headers.get('allow')]).toEqual([405, 'POST, HEAD, OPTIONS'])
    expect(await program.json()).toMatchObject({ error: 'method_not_allowed' })
    // Who sends a payment is a program, whatever it accepts.
    expect((await asked({ ...people, 'payment-signature': 'e30=' })).status).toBe(405)
  })
})

describe('the addresses for crawlers', () => {
  it('leads to every page', async () => {
    const answer = () => ({ type: 'text/html', body: '' })
    const ours = { path: '/shop', isForPeople: true, answer } as const
    const feed = { path: '/feed', answer }
    const origin = originOf([echo], { pages: [ours, feed] })
    const status = { path: '/status', isForPeople: true, answer } as const
    const shop = await openSelling({ origins: [origin], pages: catalogPages(told, [status]) })
    const get = (path: string) => shop.ask({ path, method: 'GET' })
    expect(await (await get('/robots.txt')).text()).toContain('Sitemap: https://farebox.example/sitemap.xml')
    const map = await (await get('/sitemap.xml')).text()
    for (const path of ['/', '/shop', '/status', '/changelog', '/docs/echo'])
      expect(map).toContain(`<loc>https://farebox.example${path}</loc>`)
    expect(map).not.toContain('/feed')
  })

  it('names the contact for a fault, with a date of expiry', async () => {
    const { get } = await open()
    const text = await (await get('/.well-known/security.txt')).text()
    expect(text).toContain('Contact: mailto:ops@farebox.example')
    const expires = Date.parse(/Expires: (.+)/.exec(text)?.[1] ?? '')
    expect(expires).toBeGreaterThan(Date.now() + 86_400_000)
    expect(expires).toBeLessThan(Date.now() + 366 * 86_400_000)
  })

  it('lead from a page and from a quote to the forms for programs', async () => {
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

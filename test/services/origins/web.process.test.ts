/** Pages of every kind, read and pictured by a real browser, from a web on loopback. */
import { createHash, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { pageLookup } from '../../../pipelines/lookups/page.ts'
import { findBinary } from '../../../pipelines/rails/outside/browser/binary.ts'
import { runsAsRoot } from '../../../pipelines/rails/outside/browser/chromium.ts'
import { isPage, type PageAsked } from '../../../pipelines/rails/outside/pages/page.ts'
import type { Failure, Refused } from '../../../services/offer/errors.ts'
import { read } from '../../../services/origins/web/read.ts'
import { screenshot } from '../../../services/origins/web/screenshot.ts'
import { failureOf } from '../../../services/query/call-failures.ts'
import { Shelf } from '../../../services/query/shelf.ts'
import { browserFolder, noBrowser } from '../../browser-folder.ts'
import { certificateFor } from '../../pipelines/rails/outside/fetching/certificate.ts'
import { spellingsOf } from '../../pipelines/rails/outside/fetching/spellings.ts'
import { listen, openWeb, publicAddress, type Web } from '../../pipelines/rails/outside/fetching/web.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { openSelling } from '../query/selling.ts'
import { signed } from '../till/paying.ts'
import { ask } from './ask.ts'
import { refusal } from './refusal.ts'
import { hostilePages, slowPages } from './web/hostile.ts'
import { openRig, type Rig, type RigOptions } from './web/rendering.ts'

const missing = await noBrowser()
const shelf = new Shelf(Date.now)
const html = { 'content-type': 'text/html; charset=utf-8' }

describe.skipIf(missing)(`a page in the browser${missing ? ` (${missing})` : ''}`, () => {
  let web: Web
  let rig: Rig
  const ends: (() => Promise<void>)[] = []

  beforeAll(async () => {
    web = await openWeb()
    rig = await openRig(web, end => ends.unshift(end))
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })

  const asking = () => ({ shelf, now: Date.now, find: rig.find })
  const serve = (body: string, headers: Record<string, string> = html) => {
    web.answer = (_, response) => response.writeHead(200, headers).end(body)
  }
  const find = (asked: Partial<PageAsked>) =>
    rig.find(pageLookup, { url: 'http://shop.sample/', render: 'always', maxAgeMs: 0, ...asked })

  /** Tests the title, because a browser of the system may have no fonts, and then it shows no text. */
  const isShownBy = async (browser: NonNullable<RigOptions['browser']>) => {
    const other = await openRig(web, onTestFinished, { browser })
    serve('<script>document.title = "made by a script"</script>')
    const asked = { url: 'http://shop.sample/', render: 'always', maxAgeMs: 0, own: true } as const
    const shown = () => other.find(pageLookup, asked)
    // The first start of a browser may take longer than a page may, on a machine with much to do.
    const first = await shown()
    const found = first && 'refusal' in first ? await shown() : first
    expect(found).toMatchObject({ rendered: { title: 'made by a script' } })
    return other
  }

  it('is read after its scripts have run, if the server says little', async () => {
    serve(
      '<title>before</title><div id="root"></div><script>setTimeout(() => { document.title = "after"; root.innerText = "made by a script" }, 200)</script>',
    )
    const answer = await ask(read, { url: 'http://shop.sample/made' }, asking())
    expect(answer).toMatchObject({ title: 'after', text: 'made by a script', rendered: true, cached: false })
  })

  it('keeps its powers, notes and fractions, as a static page does', async () => {
    serve(
      '<div id="root"></div><script>root.innerHTML = "<p>10<sup>6</sup> in 1874<sup><a href=#n>1</a></sup>, 3<sup>1</sup>&frasl;<sub>2</sub> cups, e<sup>x<sup>2</sup></sup>"</script>',
    )
    const answer = await ask(read, { url: 'http://shop.sample/powers' }, asking())
    expect(answer).toMatchObject({ text: '10^6 in 1874[1], 3 1/2 cups, e^(x^2)', rendered: true })
  })

  it('is read as it is, if the server says enough', async () => {
    serve(`<title>Enough</title><p>${'word '.repeat(100)}</p><script>document.body.innerText = "no"</script>`)
    const answer = await ask(read, { url: 'http://shop.sample/static' }, asking())
    expect(answer).toMatchObject({ title: 'Enough', text: 'word '.repeat(100).trim(), rendered: false })
  })

  it('is pictured', async () => {
    serve('<body style="background: #0a7">a green page')
    const answer = await ask(screenshot, { url: 'http://shop.sample/green', wait_ms: 50 }, asking())
    const picture = Buffer.from(answer.image_base64, 'base64')
    expect(sizeOfJpeg(picture)).toEqual([1280, 800])
    expect(answer).toMatchObject({ width: 1280, height: 800, bytes: picture.length })
    expect(answer.sha256).toBe(createHash('sha256').update(picture).digest('hex'))
    expect(JSON.stringify(answer).length).toBeLessThan(900_000)
  })

  it('has a picture that fits its answer, whatever the page shows', async () => {
    serve(
      '<body style="margin:0"><canvas id=c width=1280 height=800></canvas><script>const x = c.getContext("2d"), d = x.createImageData(1280, 800); crypto.getRandomValues; for (let i = 0; i < d.data.length; i++) d.data[i] = i % 4 === 3 ? 255 : Math.random() * 256; x.putImageData(d, 0, 0)</script>',
    )
    const answer = await ask(screenshot, { url: 'http://shop.sample/noise' }, asking())
    expect(answer.bytes).toBeLessThan(640_000)
  })

  it('comes with the bytes of its server, its redirects, and the address that was dialled', async () => {
    const body = '<p>caf\u00e9</p>'
    web.answer = ({ url }, response) => {
      if (url === '/old') response.writeHead(302, { location: '/new' }).end()
      else response.writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' }).end(body, 'latin1')
    }
    const found = await find({ url: 'http://shop.sample/old', maxAgeMs: 0 })
    expect(found).toMatchObject({
      finalUrl: 'http://shop.sample/new',
      redirects: [{ url: 'http://shop.sample/old', status: 302 }],
      address: publicAddress,
      port: 80,
      bytes: Buffer.from(body, 'latin1'),
      rendered: { text: 'caf\u00e9', tls: null },
    })
  })

  it('is visited and rendered once for all who ask at the same time', async () => {
    serve('<div id="root"></div><script>root.innerText = "once"</script>')
    const before = web.visits
    const url = 'http://shop.sample/fifty'
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(read, { url }, asking())))
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['once']))
    expect(web.visits - before).toBe(2)
    expect(await ask(read, { url }, asking())).toMatchObject({ cached: true })
    expect(web.visits - before).toBe(2)
    expect(await ask(read, { url, max_age_seconds: 0 }, asking())).toMatchObject({ cached: false })
    expect(web.visits - before).toBe(4)
  })

  it('is fetched for one caller only, if he asks for that', async () => {
    serve('<p>mine</p>')
    const before = web.visits
    const found = await Promise.all([find({ own: true }), find({ own: true, maxAgeMs: 60_000 })])
    expect(found.map(one => one && isPage(one) && one.cached)).toEqual([false, false])
    expect(web.visits - before).toBe(2)
  })

  it('reaches no private address, by any trick of a page', async () => {
    // A server of this machine. Without the gate, the browser could reach its address.
    let heard = 0
    const inside = createServer((_, response) => response.end('a secret'))
    inside.on('connection', () => heard++)
    const insidePort = await listen(inside)
    onTestFinished(() => void inside.close().closeAllConnections())
    web.names.set('inside.sample', [['10.0.0.5']])
    web.names.set('both.sample', [[publicAddress, '127.0.0.1']])
    const targets = [
      'http://127.0.0.1/',
      'http://2130706433/',
      'http://0x7f.1/',
      'http://[::1]/',
      'http://[::ffff:7f00:1]/',
      'http://169.254.169.254/latest/meta-data/',
      'http://10.0.0.5/',
      'http://localhost/',
      'http://inside.sample/',
      'http://both.sample/',
    ]
    const spelled = [
      '127.0.0.1',
      '10.0.0.5',
      '169.254.169.254',
      '192.168.1.1',
      '172.16.0.1',
      '100.64.0.1',
      '0.0.0.0',
      '198.18.0.1',
      '240.0.0.1',
    ]
      .flatMap(spellingsOf)
      .map(host => `http://${host}:${insidePort}/`)
    expect(spelled.length).toBeGreaterThan(200)
    serve(`<p>tricks</p><script>
      const ask = url => {
        fetch(url, { mode: 'no-cors' }).catch(() => {})
        navigator.sendBeacon(url, 'x')
        new Image().src = url
        for (const name of ['iframe', 'script', 'embed', 'video']) document.body.append(Object.assign(document.createElement(name), { src: url }))
        document.body.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url }))
        try { new WebSocket(url.replace('http', 'ws')) } catch {}
        try { new EventSource(url) } catch {}
        try { new Worker(URL.createObjectURL(new Blob(['fetch("' + url + '", { mode: "no-cors" })']))) } catch {}
      }
      ${JSON.stringify(targets)}.forEach(ask)
      for (const url of ${JSON.stringify(spelled)}) {
        new Image().src = url.replace(/:\\d+/, '')
        new Image().src = url
        fetch(url, { mode: 'no-cors' }).catch(() => {})
      }
      try { const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:80' }] }); peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer)) } catch {}
    </script>`)
    expect(await find({ url: 'http://shop.sample/tricks' })).toMatchObject({ rendered: { text: 'tricks' } })
    expect([web.strays, heard]).toEqual([0, 0])
  })

  it.each([
    ['http://10.0.0.5/', 'invalid_url'],
    ['http://2130706433/', 'invalid_url'],
    ['http://[::ffff:a00:5]/', 'invalid_url'],
    ['file:///etc/passwd', 'invalid_url'],
    ['view-source:http://shop.sample/', 'invalid_url'],
    ['chrome://version', 'invalid_url'],
    ['http://nowhere.sample/', 'page_fetch_failed'],
  ])('of %s is refused: %s', async (url, code) => {
    expect(await refusal(screenshot, { url }, asking())).toMatchObject({ error: code, charged: false })
    expect(web.strays).toBe(0)
  })

  it('that redirects to a private address is refused, and the address gets no request', async () => {
    for (const location of [
      'http://10.0.0.5/',
      'http://[::1]/',
      'file:///etc/passwd',
      'http://0x7f000001/',
    ]) {
      web.answer = (_, response) => response.writeHead(302, { location }).end()
      const found = await find({ url: 'http://shop.sample/away', own: true })
      expect([location, found]).toEqual([location, expect.objectContaining({ refusal: 'invalid_url' })])
    }
    serve('<script>location = "http://10.0.0.5/"</script>')
    expect(await find({ url: 'http://shop.sample/script-away', own: true })).toMatchObject({
      refusal: 'invalid_url',
    })
    expect(web.strays).toBe(0)
  })

  it('of a name that resolves to public first and private then is dialled at the checked address', async () => {
    web.names.set('rebound.sample', [[publicAddress], ['10.0.0.5']])
    serve('<p>bound</p><img src="/again.png">')
    expect(await find({ url: 'http://rebound.sample/', own: true })).toMatchObject({ refusal: 'invalid_url' })
    expect(web.strays).toBe(0)
  })

  it.each([
    ['page_refused', 404, {}, 'http://shop.sample/s1'],
    ['page_refused', 429, { 'retry-after': '7' }, 'http://shop.sample/s2'],
    ['page_fetch_failed', 500, {}, 'http://shop.sample/s3'],
    ['blocked_by_site', 403, { 'cf-mitigated': 'challenge' }, 'http://shop.sample/s4'],
    ['not_a_page', 200, { 'content-type': 'image/png' }, 'http://shop.sample/s5'],
  ])('ends as %s if the site answers %i', async (code, status, headers, url) => {
    web.answer = (_, response) => response.writeHead(status, { ...html, ...headers }).end('<p>no')
    expect(await refusal(screenshot, { url }, asking())).toMatchObject({ error: code })
    expect(await refusal(read, { url }, asking())).toMatchObject({ error: code })
    if (code.startsWith('page')) expect(await find({ url, anyStatus: true })).toMatchObject({ status })
  })

  it('is refused as robots_disallowed, too_many_redirects and page_too_large like a page that is read', async () => {
    web.names.set('robots.sample', [[publicAddress]])
    web.answer = ({ url = '' }, response) => {
      if (url === '/robots.txt') response.end('User-agent: farebox\nDisallow: /')
      else if (url.startsWith('/r')) response.writeHead(302, { location: `${url}r` }).end()
      else response.writeHead(200, html).end('a'.repeat(9 << 20))
    }
    for (const [url, code] of [
      ['http://robots.sample/', 'robots_disallowed'],
      ['http://shop.sample/r', 'too_many_redirects'],
      ['http://shop.sample/large', 'page_too_large'],
    ])
      expect(await refusal(screenshot, { url }, asking())).toMatchObject({ error: code })
  })

  it('survives hostile pages, and every page after them is served', async () => {
    web.answer = (request, response) => {
      const [, page = '', rest = ''] = /^\/(\d+)(.*)$/s.exec(request.url ?? '') ?? []
      request.url = rest || '/'
      const answer = hostilePages[Number(page)]?.[1]
      if (answer) answer(request, response)
      else response.writeHead(404).end()
    }
    const found: [string, string][] = []
    const waiting = [...hostilePages.entries()]
    // The number of pages that a renderer shows at once.
    const visitor = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [n, [name]] = next
        const one = await find({ url: `http://shop.sample/${n}`, own: true })
        found.push([name, one && isPage(one) ? 'page' : (one?.refusal ?? '')])
      }
    }
    await Promise.all([visitor(), visitor(), visitor(), visitor()])
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(hostilePages.map(([name, , ending]) => [name, ending])),
    )
    serve('<p>a good page</p>')
    expect(await find({ own: true })).toMatchObject({ rendered: { text: 'a good page' } })
    expect(web.strays).toBe(0)
  })

  it.skipIf(!process.env.LONG_FORM).each(slowPages)(
    'survives a page that uses up what it may: %s',
    async (_, answer, ending) => {
      web.answer = answer
      expect(await find({ own: true })).toMatchObject({ refusal: ending })
      serve('<p>a good page</p>')
      expect(await find({ own: true })).toMatchObject({ rendered: { text: 'a good page' } })
    },
  )

  it('comes with the TLS of its server, and the very certificate', async () => {
    const day = 24 * 60 * 60_000
    const around = [new Date(Date.now() - day), new Date(Date.now() + day)] as const
    const trusted = certificateFor('shop.sample', ...around)
    const served = { current: trusted }
    const server = createTlsServer({
      ...trusted,
      SNICallback: (_, done) => done(null, createSecureContext(served.current)),
    })
    server.on('request', (_, response) => response.writeHead(200, html).end('<p>over TLS</p>'))
    const port = await listen(server)
    onTestFinished(() => void server.close().closeAllConnections())
    const own: (() => Promise<void>)[] = []
    onTestFinished(async () => {
      for (const end of own) await end()
    })
    const reach = () => ({ host: '127.0.0.1', port })
    const { find } = await openRig({ ...web, reach }, end => own.unshift(end), { ca: trusted.cert })
    const asked = {
      url: 'https://shop.sample/',
      render: 'always',
      maxAgeMs: 0,
      own: true,
      certificates: true,
    } as const
    expect(await find(pageLookup, asked)).toMatchObject({
      port: 443,
      address: publicAddress,
      rendered: {
        text: 'over TLS',
        tls: { protocol: 'TLS 1.3', certificates: [new X509Certificate(trusted.cert).raw] },
      },
    })
    served.current = certificateFor('shop.sample', ...around)
    expect(await find(pageLookup, asked)).toMatchObject({
      refusal: 'page_fetch_failed',
      message: expect.stringContaining('cannot be trusted'),
    })
  })

  it.skipIf(!process.env.LONG_FORM)('gets a new browser if the old one no longer answers', async () => {
    serve('<p>again</p>')
    const { pid } = await rig.browser.use(async chromium => chromium)
    process.kill(-pid, 'SIGSTOP')
    expect(await find({ own: true })).toMatchObject({ refusal: 'page_fetch_failed' })
    expect(await find({ own: true })).toMatchObject({ rendered: { text: 'again' } })
  })

  it('is shown by the browser in BROWSER', async () => {
    const folder = scratchFolder(onTestFinished)
    const { executable, libraries } = await findBinary({ dataDir: browserFolder, forOthers: runsAsRoot() })
    const named = join(folder, 'a-chromium')
    await writeFile(named, `#!/bin/sh\nLD_LIBRARY_PATH=${libraries} exec ${executable} "$@"\n`, {
      mode: 0o755,
    })
    await chmod(folder, 0o755)
    await isShownBy({ named })
  })

  const debian = '/usr/bin/chromium'
  const hasDebian = existsSync(debian)
  it.skipIf(!hasDebian)(`is shown by ${debian}${hasDebian ? '' : ', which is not installed'}`, async () => {
    await isShownBy({ named: debian })
  })

  it('is shown without the sandbox of the browser if BROWSER_SANDBOX is off, and by a new browser after some pages', async () => {
    const { browser, find } = await isShownBy({ withoutSandbox: true, mostPages: 3 })
    const first = await browser.use(async chromium => chromium)
    const sandboxed = await rig.browser.use(async chromium => chromium)
    const hasNone = async ({ pid }: { pid: number }) =>
      (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').includes('--no-sandbox')
    expect(await Promise.all([first, sandboxed].map(hasNone))).toEqual([true, false])
    let asked: ServerResponse | undefined
    web.answer = (_, response) => {
      asked = response
    }
    const last = find(pageLookup, { url: 'http://shop.sample/', render: 'always', maxAgeMs: 0, own: true })
    await until(() => asked !== undefined, 'the third page to be asked for')
    // The old browser keeps its page and gets no new one.
    expect(await browser.use(async ({ pid }) => pid)).not.toBe(first.pid)
    asked?.writeHead(200, html).end('<title>the last page</title>')
    expect(await last).toMatchObject({ rendered: { title: 'the last page' } })
    await first.ended
  })

  it('fails for its caller only if the browser dies under it, and the next page gets a new browser', async () => {
    let asked = 0
    web.answer = ({ url }, response) => {
      if (url === '/robots.txt') response.writeHead(404).end()
      else asked++
    }
    const hanging = find({ own: true })
    await until(() => asked === 1, 'the page to be asked for')
    await rig.browser.use(async ({ kill }) => kill())
    expect(await hanging).toMatchObject({
      refusal: 'page_fetch_failed',
      message: 'the browser ended under the page',
    })
    serve('<p>again</p>')
    expect(await find({ own: true })).toMatchObject({ rendered: { text: 'again' } })
  })

  it('is not charged if the browser is killed under it, and the same payment buys it afterwards', async () => {
    const { pay, facilitator } = await openSelling({ operations: [read], find: rig.find })
    const payment = await signed()
    const buy = () => pay(payment, { path: '/read', body: '{"url":"http://shop.sample/paid"}' })
    let isShown = false
    web.answer = ({ url }, response) => {
      if (url === '/never.js') isShown = true
      else
        response.writeHead(url === '/robots.txt' ? 404 : 200, html).end('<script src="/never.js"></script>')
    }
    const buying = buy()
    await until(() => isShown, 'the page to be in the browser')
    await rig.browser.use(async ({ kill }) => kill())
    const failed = await buying
    expect(failed.status).toBe(502)
    expect(await failed.json()).toMatchObject({ error: 'page_fetch_failed', charged: false })
    expect(facilitator.calls.settle).toBe(0)
    serve('<p>bought</p>')
    const bought = await buy()
    expect(await bought.json()).toMatchObject({ text: 'bought', receipt: { charged: true } })
    expect(facilitator.moved.size).toBe(1)
  })
})

describe('a deployment without a browser', () => {
  it('reads pages that need none, and refuses the rest for free', async () => {
    const web = await openWeb()
    const ends: (() => Promise<void>)[] = []
    onTestFinished(async () => {
      for (const end of ends) await end()
    })
    const rig = await openRig(web, end => ends.unshift(end), { browser: { named: '/no/such/browser' } })
    const asking = { shelf, now: Date.now, find: rig.find }
    web.answer = (_, response) => response.writeHead(200, html).end(`<p>${'word '.repeat(60)}`)
    expect(await ask(read, { url: 'http://shop.sample/' }, asking)).toMatchObject({ rendered: false })
    const failure = await ask(screenshot, { url: 'http://shop.sample/' }, asking).catch(failureOf)
    expect(failure).toMatchObject({ status: 503, code: 'not_ready', charged: false })
    expect((failure as Failure | Refused).message).toContain('/no/such/browser')
  })
})

/** Reads the size from the start-of-frame marker. */
function sizeOfJpeg(bytes: Buffer): [width: number, height: number] {
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] as number
    if (marker >= 0xc0 && marker <= 0xc3) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
  }
  throw new Error('no JPEG')
}

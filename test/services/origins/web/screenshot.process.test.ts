/** Pictures of pages by a real browser: of all of a page, of an element, on a phone, in the dark, without banners. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jpegSize } from '../../../../pipelines/domains/attestation/jpeg.ts'
import { pageLookup } from '../../../../pipelines/lookups/page.ts'
import { isPage } from '../../../../pipelines/rails/outside/pages/page.ts'
import { screenshot } from '../../../../services/origins/web/screenshot.ts'
import { failureOf } from '../../../../services/query/call-failures.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { noBrowser } from '../../../browser-folder.ts'
import { openWeb, type Web } from '../../../pipelines/rails/outside/fetching/web.ts'
import { ask } from '../ask.ts'
import { refusal } from '../refusal.ts'
import { openRig, type Rig } from './rendering.ts'

const missing = await noBrowser()
const shelf = new Shelf(Date.now)
const tall = `<style>body { margin: 0 } section { height: 1000px } #box { width: 301px; height: 77px; background: #c20 }</style>
<section>one</section><section id="two"><div id="box">box</div><i id="none" hidden>x</i></section><section>three</section>`
const banner = (text: string, button: string) =>
  `<div style="position:fixed;bottom:0;left:0;right:0;background:#fc0;padding:40px">${text} <button>${button}</button></div>`

describe.skipIf(missing)(`a picture${missing ? ` (${missing})` : ''}`, () => {
  let web: Web
  let rig: Rig
  let pages: Record<string, string>
  const ends: (() => Promise<void>)[] = []

  beforeAll(async () => {
    web = await openWeb()
    rig = await openRig(web, end => ends.unshift(end))
    pages = { '/tall': tall }
    web.answer = ({ url = '' }, response) => {
      const body = pages[url]
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body)
    }
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })

  const asking = () => ({ shelf, now: Date.now, find: rig.find })
  const question = (path: string, more: object = {}) => ({ url: `http://shop.sample${path}`, ...more })
  const shown = async (path: string, more: object = {}) => {
    const answer = await ask(screenshot, question(path, more), asking())
    const picture = Buffer.from(answer.image_base64, 'base64')
    expect(answer.bytes).toBe(picture.length)
    expect({ width: answer.width, height: answer.height }).toEqual(sizeOf(picture, answer.content_type))
    return { ...answer, picture }
  }
  const refused = (path: string, more: object) => refusal(screenshot, question(path, more), asking())

  it('of the whole page shows all of it', async () => {
    expect(await shown('/tall', { full_page: true })).toMatchObject({
      width: 1280,
      height: 3000,
      truncated: false,
    })
  })

  it('of a page without an end has a bound, and says so', async () => {
    pages['/endless'] =
      '<style>body { margin: 0; height: 90000px; background: linear-gradient(#fff, #07a) }</style>'
    const { height, width, truncated } = await shown('/endless', { full_page: true })
    expect(truncated).toBe(true)
    expect(width * height).toBeLessThanOrEqual(16_000_000)
  })

  it('of an element shows it alone, wherever it stands', async () => {
    const answer = await shown('/tall', { selector: '#box', format: 'png' })
    expect(answer).toMatchObject({ width: 301, height: 77, content_type: 'image/png', truncated: false })
    expect(await shown('/tall', { selector: '#box', format: 'png', scale: 3 })).toMatchObject({
      width: 903,
      height: 231,
    })
  })

  it('of no element is refused', async () => {
    for (const selector of ['#nothing', '#none'])
      expect(await refused('/tall', { selector })).toMatchObject({ error: 'no_such_element', status: 422 })
    for (const selector of ['p[', "'); document.title = 'x"])
      expect(await refused('/tall', { selector })).toMatchObject({ error: 'invalid_selector', status: 400 })
    expect(await refused('/tall', { selector: '#box', full_page: true })).toMatchObject({
      error: 'invalid_selector',
    })
    expect(await refused('/tall', { wait_for: 'p[' })).toMatchObject({ error: 'invalid_selector' })
  })

  it('is of the window that was asked for, in each format', async () => {
    const size = { width: 640, height: 480 }
    for (const format of ['jpeg', 'png', 'webp'])
      expect(await shown('/tall', { ...size, format })).toMatchObject({
        ...size,
        content_type: `image/${format}`,
      })
    expect(await shown('/tall', { scale: 2 })).toMatchObject({ width: 2560, height: 1600 })
  })

  it('of a phone is that of a phone, and of the dark is dark', async () => {
    pages['/self'] =
      '<meta name="viewport" content="width=device-width"><script>document.title = [innerWidth, devicePixelRatio, matchMedia("(prefers-color-scheme: dark)").matches, "ontouchstart" in window, /Mobile/.test(navigator.userAgent)].join()</script><p>x'
    expect((await shown('/self')).title).toBe('1280,1,false,false,false')
    const phone = await shown('/self', { device: 'phone', dark: true, scale: 2 })
    expect(phone).toMatchObject({ title: '390,2,true,true,true', width: 780, height: 1688 })
  })

  it('of one look answers nobody who asks for another', async () => {
    const light = await shown('/self')
    expect(light).toMatchObject({ cached: true, width: 1280 })
    expect(await shown('/self', { dark: true })).toMatchObject({
      cached: false,
      title: '1280,1,true,false,false',
    })
    expect(await shown('/self', { dark: true })).toMatchObject({ cached: true })
    const plain = await rig.find(pageLookup, {
      url: 'http://shop.sample/self',
      render: 'always',
      maxAgeMs: 60_000,
    })
    expect(plain && isPage(plain) && plain.rendered?.title).toBe('1280,1,false,false,false')
  })

  it('waits for an element, and not for ever', async () => {
    pages['/late'] =
      '<p>x<script>setTimeout(() => { document.title = "late"; document.body.innerHTML = "<b id=late>late</b>" }, 1500)</script>'
    expect((await shown('/late', { wait_for: '#late' })).title).toBe('late')
    expect(await refused('/tall', { wait_for: '#never' })).toMatchObject({ error: 'no_such_element' })
  })

  it('hides banners that ask for consent, and nothing else', async () => {
    const bare =
      '<style>body { margin: 0 }</style><header style="position:sticky;top:0">Cookies for sale <a href=/>all cookies</a></header><p>Cookies and biscuits, fresh each day.'
    const backdrop = '<div style="position:fixed;inset:0;background:#0008"></div>'
    pages['/bare'] = bare
    pages['/asks'] = bare + backdrop + banner('We use cookies to measure what you read.', 'Accept all')
    pages['/fragt'] =
      `${bare}${banner('Diese Seite setzt Cookies.', 'Alle akzeptieren')}<style>html, body { overflow: hidden }</style>`
    pages['/named'] =
      `${bare}<div id="onetrust-banner-sdk" style="position:fixed;inset:50% 0 0 0;background:red">Your choices</div>`
    const format = { format: 'png', width: 640, height: 480 }
    const { sha256, banners_hidden } = await shown('/bare', { ...format, hide_banners: true })
    expect(banners_hidden).toBe(0)
    for (const path of ['/asks', '/fragt', '/named']) {
      expect((await shown(path, format)).sha256).not.toBe(sha256)
      expect(await shown(path, { ...format, hide_banners: true })).toMatchObject({
        sha256,
        banners_hidden: 1,
      })
    }
  })

  it('that is too large whatever its quality is refused', async () => {
    pages['/noise'] =
      '<body style="margin:0"><canvas id=c width=1900 height=1200></canvas><script>const x = c.getContext("2d"), d = x.createImageData(1900, 1200); for (let i = 0; i < d.data.length; i++) d.data[i] = i % 4 === 3 ? 255 : Math.random() * 256; x.putImageData(d, 0, 0)</script>'
    const large = { format: 'png', width: 1900, height: 1200 }
    expect(await refused('/noise', large)).toMatchObject({ error: 'picture_too_large', status: 422 })
    expect((await shown('/noise', { ...large, format: 'jpeg' })).bytes).toBeLessThan(2_000_000)
  })

  it('of a page that waits too long for its turn is a free busy, with the time to come back', async () => {
    const slow = await openRig(web, end => ends.unshift(end))
    const before = web.answer
    const held: (() => void)[] = []
    web.answer = (_, response) => {
      held.push(() => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>x'))
    }
    const failures = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        ask(screenshot, question(`/held${n}`), { ...asking(), find: slow.find }).then(
          () => undefined,
          error => failureOf(error),
        ),
      ),
    )
    for (const release of held) release()
    web.answer = before
    const busy = failures.filter(failure => failure?.code === 'busy')
    expect(busy.length).toBeGreaterThan(5)
    for (const failure of busy) expect(Number(failure?.headers['retry-after'])).toBeGreaterThan(2)
  }, 60_000)
})

function sizeOf(picture: Buffer, type: string): { width: number; height: number } | undefined {
  if (type === 'image/png') return { width: picture.readUInt32BE(16), height: picture.readUInt32BE(20) }
  // The extended form of WebP tells one less of each, in 24 bits.
  if (type === 'image/webp')
    return { width: picture.readUIntLE(24, 3) + 1, height: picture.readUIntLE(27, 3) + 1 }
  return jpegSize(picture)
}

/** Pages that try to keep the browser, break it, or get out of it, each with its end. */
import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'

type Ending =
  | 'page'
  | 'page_fetch_failed'
  | 'page_too_large'
  | 'not_a_page'
  | 'too_many_redirects'
  | 'invalid_url'
export type HostilePage = [name: string, answer: RequestListener, ending: Ending]

const html = { 'content-type': 'text/html; charset=utf-8' }
const page =
  (body: string): RequestListener =>
  ({ url }, response) =>
    void response.writeHead(url === '/favicon.ico' ? 404 : 200, html).end(body)
const script = (code: string) => page(`<p>here</p><script>${code}</script>`)

/** Each of these ends by itself. */
const quick: HostilePage[] = [
  ['twenty popups', script('for (let i = 0; i < 20; i++) open("/?" + i)'), 'page'],
  ['a chain of alerts', script('for (let i = 0; i < 50; i++) alert(i); confirm(); prompt()'), 'page'],
  ['a leaving that asks', script('onbeforeunload = () => "stay"'), 'page'],
  ['a print', script('print()'), 'page'],
  [
    'requests for permissions',
    script('navigator.geolocation.getCurrentPosition(() => {}); Notification.requestPermission()'),
    'page',
  ],
  [
    'a download',
    script(
      'const a = document.createElement("a"); a.href = "data:application/zip,x"; a.download = "x.zip"; a.click()',
    ),
    'page',
  ],
  ['fifty thousand nodes', page(`<p>here</p>${'<i>x</i>'.repeat(50_000)}`), 'page'],
  ['elements nested five thousand deep', page(`<p>here</p>${'<div>'.repeat(5_000)}`), 'page'],
  ['a text of a million letters', page(`<p>${'letter '.repeat(300_000)}`), 'page'],
  [
    'workers that never end',
    script('for (let i = 0; i < 8; i++) new Worker(URL.createObjectURL(new Blob(["for (;;);"])))'),
    'page',
  ],
  [
    'prototypes that are gone',
    script(
      'for (const o of [Object, Array, Node, Element, Document, HTMLElement]) for (const k of Object.getOwnPropertyNames(o.prototype)) try { delete o.prototype[k] } catch {}',
    ),
    'page',
  ],
  ['a title that lies', script('Object.defineProperty(document, "title", { get() { throw 1 } })'), 'page'],
  [
    'frames in frames',
    script(
      'if (location.search.length < 20) document.body.append(Object.assign(document.createElement("iframe"), { src: "?" + "x".repeat(location.search.length + 1) }))',
    ),
    'page',
  ],
  [
    'a history without end',
    script('for (let i = 0; i < 100; i++) history.pushState({}, "", "/" + i)'),
    'page',
  ],
  ['a page without a type', (_, response) => void response.writeHead(200).end('<p>here'), 'page'],
  [
    'a form that sends itself away',
    page('<form action="http://10.0.0.5/" method="post"></form><script>document.forms[0].submit()</script>'),
    'invalid_url',
  ],
  [
    'a frame of the metadata address',
    page('<p>here</p><iframe src="http://169.254.169.254/"></iframe>'),
    'page',
  ],
  [
    'a refresh to a file',
    page('<meta http-equiv="refresh" content="0;url=file:///etc/passwd"><p>here'),
    'page',
  ],
  ['a script that goes to a file', script('location = "file:///etc/passwd"'), 'page'],
  ['a script that goes to the browser', script('location = "chrome://settings"'), 'page'],
  [
    'a PDF',
    (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4\n%%EOF'),
    'not_a_page',
  ],
  [
    'a zip',
    (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/zip' }).end('PK\u0003\u0004'),
    'not_a_page',
  ],
  [
    'an attachment',
    (_, response) =>
      void response
        .writeHead(200, { ...html, 'content-disposition': 'attachment; filename=x.html' })
        .end('<p>here'),
    'not_a_page',
  ],
  [
    'a circle of redirects',
    ({ url = '' }, response) =>
      void response.writeHead(302, { location: `?${'x'.repeat(url.length)}` }).end(),
    'too_many_redirects',
  ],
  ['nine megabytes', page('<p>here</p>'.repeat(800_000)), 'page_too_large'],
  [
    'three hundred megabytes in a small gzip',
    (_, response) => void response.writeHead(200, { ...html, 'content-encoding': 'gzip' }).end(bomb()),
    'page_too_large',
  ],
  ['a broken answer', ({ socket }) => void socket.end('no HTTP at all\r\n\r\n'), 'page_fetch_failed'],
  [
    'a body that breaks off',
    (_, response) =>
      void response
        .writeHead(200, { ...html, 'content-length': 1000 })
        .write('<p>here', () => response.destroy()),
    'page_fetch_failed',
  ],
]

/** Each of these ends at its deadline only. */
const slow: HostilePage[] = [
  ['an endless loop', script('for (;;);'), 'page_fetch_failed'],
  ['an answer that never comes', () => {}, 'page_fetch_failed'],
  [
    'a body that never ends',
    (_, response) => void response.writeHead(200, html).write('<p>here'),
    'page_fetch_failed',
  ],
  [
    'a memory hog',
    script('const all = []; for (;;) all.push(new Array(1e6).fill(all.length))'),
    'page_fetch_failed',
  ],
  ['a document that never rests', script('setInterval(() => document.body.append("x"), 10)'), 'page'],
]

let bytes: Buffer | undefined
const bomb = () => (bytes ??= gzipSync(Buffer.alloc(300 << 20, 'here ')))

/** The last slow page harms no page beside it. */
export const hostilePages: HostilePage[] = [...quick, ...slow.slice(-1)]
/** They wait for deadlines of many seconds, and take all of the processor. */
export const slowPages: HostilePage[] = slow.slice(0, -1)

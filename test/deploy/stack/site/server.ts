/** The web outside of the stack: a page that a script writes, a product, a receiver of webhooks, and a page that tries to get out. */
import { createServer } from 'node:http'

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><title>${title}</title>${body}</html>`

const written = page(
  'Tide board',
  `<h1>Tide board</h1><p id="tide">The board is empty.</p>
  <script>document.getElementById('tide').textContent = 'High water ' + [6, 18].map(h => h + ':42').join(' and ')</script>`,
)
const product = page(
  'Kettle',
  `<h1>Kettle</h1><p>29.90 EUR</p><script type="application/ld+json">${JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: 'Kettle',
    offers: {
      '@type': 'Offer',
      price: '29.90',
      priceCurrency: 'EUR',
      availability: 'https://schema.org/InStock',
    },
  })}</script>`,
)

/** What a page in the browser of render may look for: files, the machine itself, the cloud's own address, the other services. */
const forbidden = [
  ...['file:///etc/passwd', 'file:///data/', 'http://127.0.0.1:8402/health', 'http://localhost/'],
  ...['http://169.254.169.254/latest/meta-data/', 'http://172.17.0.1/', 'http://kafka:9092/'],
  ...[
    'http://query:8402/health',
    'http://prometheus:9090/-/healthy',
    'http://tripwire/',
    'http://inside.sample/',
  ],
]
/** The same ways lead to a place that may be reached, or they show nothing. */
const allowed = ['http://page.sample/dot']
const breakout = page(
  'Escape',
  `<h1>Escape</h1><p id="told">The script has not run.</p><script>
  const late = work => Promise.race([work, new Promise(end => setTimeout(() => end('no'), 4000))])
  // Where the gate refuses, it answers itself, and its answer allows nobody to read it.
  const byFetch = url => fetch(url).then(answer => answer.ok ? 'fetch ' + url : 'no', () => 'no')
  const byPicture = url => new Promise(end => {
    const picture = new Image()
    picture.onload = () => end('picture ' + url)
    picture.onerror = () => end('no')
    picture.src = url
  })
  const bySocket = url => new Promise(end => {
    try {
      const socket = new WebSocket(url.replace(/^http|^file/, 'ws'))
      socket.onopen = () => end('socket ' + url)
      socket.onerror = () => end('no')
    } catch { end('no') }
  })
  const reached = async urls => {
    const tries = urls.flatMap(url => [byFetch, byPicture, bySocket].map(way => late(way(url))))
    return (await Promise.all(tries)).filter(word => word !== 'no').join(', ') || 'nothing'
  }
  Promise.all([reached(${JSON.stringify(allowed)}), reached(${JSON.stringify(forbidden)})]).then(([may, must]) => {
    document.getElementById('told').textContent = 'Allowed: ' + may + '. Forbidden: ' + must + '.'
  })
  </script>`,
)

/** A picture of one pixel, which anybody may read. */
const dot = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64')

createServer((request, response) => {
  const { host = '', 'webhook-id': event } = request.headers
  const { url = '/' } = request
  if (process.env.TRIPWIRE && url !== '/probe') console.log(`somebody came: ${url}`)
  if (host === 'hooks.sample') {
    response.writeHead(event === undefined ? 405 : 204, { allow: 'POST' }).end()
    return
  }
  if (url === '/dot' || process.env.TRIPWIRE) {
    response.writeHead(200, { 'content-type': 'image/gif', 'access-control-allow-origin': '*' }).end(dot)
    return
  }
  const bodies: Record<string, string> = { '/': written, '/kettle': product, '/escape': breakout }
  const body = bodies[url]
  response
    .writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    .end(body ?? '')
}).listen(80, '0.0.0.0')

/** A page over HTTPS, with a certificate from the sandbox's own authority. Over plain HTTP its host redirects to it. */
import { createServer as createPlainServer, type Server } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { issue, keyPem, pemOf } from './certificates.ts'
import type { SandboxWeb } from './public-web.ts'

const secureHost = 'notice.sample'

const body = `<!doctype html><html lang="en"><title>Public notice</title>
<h1>Public notice</h1>
<p>The harbour is closed to ships above 40 m from 1 December to 15 January.</p>
<p>The harbour master</p></html>`

/** Places the host, and makes the web trust the authority. */
export async function startSecureSite(
  web: SandboxWeb,
  now = Date.now(),
): Promise<{ close(): Promise<void> }> {
  const life = { from: new Date(now - 86_400_000), to: new Date(now + 365 * 86_400_000) }
  const root = await issue({ name: 'Farebox sandbox authority', ...life })
  const leaf = await issue({ name: secureHost, hosts: [secureHost], ...life }, root)
  const ca = pemOf('CERTIFICATE', root.der)
  // The browser knows the authority by its key, so the server sends the authority's certificate, too.
  const cert = `${pemOf('CERTIFICATE', leaf.der)}${ca}`
  const secure = createServer({ key: await keyPem(leaf.keys), cert }, (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body),
  )
  const plain = createPlainServer(({ url }, response) =>
    response.writeHead(301, { location: `https://${secureHost}${url}` }).end(),
  )
  const [port, securePort] = await Promise.all([listening(plain), listening(secure)])
  web.place(secureHost, port, securePort)
  web.ca = ca
  return { close: async () => void (await Promise.all([plain, secure].map(closed))) }
}

function listening(server: Server): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.once('error', reject)
  server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  return promise
}

function closed(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  server.closeAllConnections()
  return promise
}

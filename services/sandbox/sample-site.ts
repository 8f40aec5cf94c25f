/** Serves the sample site on loopback, under names that only the sandbox knows. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SandboxWeb } from './public-web.ts'
import { type SitePage, sitePages } from './site/pages.ts'

const missing: SitePage = {
  status: 404,
  body: '<!doctype html><title>Not found</title><h1>There is no such page</h1>',
}
const html = 'text/html; charset=utf-8'

export async function startSampleSite(web: Pick<SandboxWeb, 'place'>): Promise<{ close(): Promise<void> }> {
  const server = createServer(({ headers, url = '/' }, response) => {
    const [path = '/'] = url.split('?')
    const { status = 200, type = html, headers: more, body } = sitePages[`${headers.host}${path}`] ?? missing
    response.writeHead(status, { 'content-type': type, ...more }).end(body)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  for (const host of new Set(Object.keys(sitePages).map(page => page.replace(/\/.*/s, ''))))
    web.place(host, port)
  return {
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

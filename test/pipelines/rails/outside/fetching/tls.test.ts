/** Visits over TLS. A visit refuses a server with a bad certificate. */
import { createServer } from 'node:https'
import type { Server } from 'node:net'
import { createServer as createTcpServer } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { VisitFailed } from '../../../../../pipelines/rails/outside/fetching/visit-failures.ts'
import { certificateFor } from './certificate.ts'
import { openWeb } from './web.ts'

const web = await openWeb()
const day = 86_400_000
const now = Math.floor(Date.now() / 1000) * 1000
const valid = certificateFor('shop.sample', new Date(now - day), new Date(now + day))
const expired = certificateFor('shop.sample', new Date(now - 2 * day), new Date(now - day))

async function listening(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as { port: number }).port
}

async function visitWith({ key, cert }: { key: string; cert: string }, ca: string | undefined, url: string) {
  const heard: string[] = []
  const server = createServer({ key, cert }, (request, response) => {
    heard.push(`${request.url}`)
    response.end(String((request.socket as TLSSocket).servername))
  })
  const port = await listening(server)
  const options = { reach: () => ({ host: '127.0.0.1', port }), ...(ca && { ca }) }
  const visiting = web.fetch(options).visit(url)
  const error = await visiting.then(
    () => undefined,
    error => error,
  )
  return { visiting, error, heard }
}

it('reports the end of the certificate, and names the host to the server', async () => {
  const { visiting } = await visitWith(valid, valid.cert, 'https://shop.sample/')
  const { bytes, certificateEndsAt } = await visiting
  expect(String(bytes)).toBe('shop.sample')
  expect(certificateEndsAt).toBe(now + day)
})

it.each([
  ['of nobody we know', valid, undefined, 'https://shop.sample/', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['of yesterday', expired, expired.cert, 'https://shop.sample/', 'CERT_HAS_EXPIRED'],
  ['of another name', valid, valid.cert, 'https://other.sample/', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['of a name, for an address', valid, valid.cert, 'https://93.184.216.34/', 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('does not ask a server with a certificate %s', async (_what, certificate, ca, url, code) => {
  web.names.set('other.sample', [['93.184.216.34']])
  const { error, heard } = await visitWith(certificate, ca, url)
  expect(error).toBeInstanceOf(VisitFailed)
  expect(error.reason).toBe('tls')
  expect(error.message).toMatch(new RegExp(`cannot be trusted: ${code}$`))
  expect(heard).toEqual([])
})

it('reports a server that does not speak TLS', async () => {
  const port = await listening(
    createTcpServer(socket => socket.on('error', () => {}).end('HTTP/1.1 400 No\r\n\r\n')),
  )
  const { visit } = web.fetch({ reach: () => ({ host: '127.0.0.1', port }) })
  await expect(visit('https://shop.sample/')).rejects.toMatchObject({ reason: 'tls' })
})

it('waits for a handshake no longer than the visit may take', async () => {
  const port = await listening(createTcpServer(socket => socket.on('error', () => {})))
  const { visit } = web.fetch({ reach: () => ({ host: '127.0.0.1', port }) })
  await expect(visit('https://shop.sample/', { totalMs: 200 })).rejects.toMatchObject({ reason: 'timeout' })
})

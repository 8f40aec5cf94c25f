/** An API behind a gateway: a small answer in JSON, at once. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serving } from './serving.ts'

const body = JSON.stringify({ station: '9414290', high: '04:12', low: '10:31', metres: 1.72 })
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
})
server.listen(0, '127.0.0.1', () => serving(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))

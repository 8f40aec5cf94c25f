/** An upstream on loopback. It answers as the test says, and remembers each request. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Upstream {
  url: string
  asked: IncomingMessage[]
}

export async function startUpstream(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<Upstream> {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

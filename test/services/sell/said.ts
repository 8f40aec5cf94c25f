/** What a file sells beside the echo: its upstream says what was said. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { opened } from './asking.ts'

export async function saidByFile() {
  const upstream = createServer(({ url = '' }, response) =>
    response.end(JSON.stringify(new URL(url, 'http://upstream').searchParams.get('say'))),
  )
  await new Promise<void>(done => upstream.listen(0, '127.0.0.1', done))
  const { port } = upstream.address() as AddressInfo
  const { origin, tools } = await opened(`origin: tides
title: What was said
operations:
  /said:
    title: What was said
    price: 0.002
    question: { say: { type: string, default: hello } }
    from: { http: 'http://127.0.0.1:${port}/', query: { say: '{say}' } }
    example: { question: { say: hello } }
`)
  return {
    operations: origin.operations,
    find: tools.find,
    async end() {
      upstream.closeAllConnections()
      await new Promise(done => upstream.close(done))
    },
  }
}

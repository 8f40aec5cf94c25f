/** What a file sells beside the echo: its upstream says what was said. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Operation } from '../../../services/offer/operation.ts'
import { opened } from './asking.ts'

/** `answer`: what the upstream says, as JSON. */
export async function saidByFile(
  answer: (say: string) => string | Promise<string> = say => JSON.stringify(say),
) {
  const upstream = createServer(async ({ url = '' }, response) =>
    response.end(await answer(new URL(url, 'http://upstream').searchParams.get('say') ?? '')),
  )
  await new Promise<void>(done => upstream.listen(0, '127.0.0.1', done))
  const { port } = upstream.address() as AddressInfo
  const { origin, tools, asked } = await opened(`origin: tides
title: What was said
operations:
  /said:
    title: What was said
    price: 0.002
    question: { say: { type: string, default: hello } }
    from: { http: 'http://127.0.0.1:${port}/', query: { say: '{say}' }, within: 20s }
    example: { question: { say: hello } }
`)
  const [said] = origin.operations as [Operation]
  return {
    said,
    operations: origin.operations,
    find: tools.find,
    /** The answer without a payment. */
    ask: (say = 'hello') => asked({ say }, said.path),
    async end() {
      upstream.closeAllConnections()
      await new Promise(done => upstream.close(done))
    },
  }
}

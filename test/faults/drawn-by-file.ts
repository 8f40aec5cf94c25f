/** The draw as a file sells it: an API of this process draws. Undefined: it is down for this question. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { opened } from '../services/sell/asking.ts'

async function runIn(request: IncomingMessage): Promise<number> {
  let text = ''
  for await (const part of request) text += part
  return (JSON.parse(text) as { run: number }).run
}

/** Its requests are posted, so that none is sent twice. */
export async function drawnByFile(draw: (run: number) => Promise<string | undefined>, now: () => number) {
  const upstream = createServer(async (request, response) => {
    // A question that broke off is none, and one of another process of this machine, whose port this was, is not ours.
    const run = await runIn(request).catch(() => undefined)
    const drawn = run === undefined ? undefined : await draw(run)
    if (drawn === undefined) response.writeHead(503).end()
    else response.end(JSON.stringify({ run, drawn }))
  })
  await new Promise<void>(done => upstream.listen(0, '127.0.0.1', done))
  const { port } = upstream.address() as AddressInfo
  const { origin, tools } = await opened(
    `origin: drawing
title: Drawing
operations:
  /drawn:
    title: Drawn
    about: Draws something that nobody else has.
    price: 0.002
    question: { run: { type: integer } }
    from: { http: 'http://127.0.0.1:${port}/', body: { run: '{run}' }, within: 20s }
    example: { question: { run: 1 } }
`,
    {},
    { now },
  )
  return {
    operations: origin.operations,
    find: tools.find,
    async close() {
      upstream.closeAllConnections()
      await new Promise(done => upstream.close(done))
    },
  }
}

/** A receiver of OpenTelemetry's JSON over HTTP. It keeps every span that comes. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code?: number; message?: string }
  attributes: Record<string, unknown>
  /** The attributes of the process that sent it. */
  resource: Record<string, unknown>
}

type Pairs = { key: string; value: Record<string, unknown> }[]
interface Sent {
  resourceSpans: {
    resource: { attributes: Pairs }
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes' | 'resource'> & { attributes: Pairs })[] }[]
  }[]
}

const plain = (pairs: Pairs) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))

export async function startReceiver() {
  const spans: ReceivedSpan[] = []
  const requests: { url: string | undefined; headers: IncomingHttpHeaders }[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', chunk => {
      text += chunk
    })
    request.on('end', () => {
      requests.push({ url: request.url, headers: request.headers })
      for (const { resource, scopeSpans } of (JSON.parse(text) as Sent).resourceSpans)
        for (const span of scopeSpans.flatMap(scope => scope.spans))
          spans.push({
            ...span,
            attributes: plain(span.attributes),
            resource: plain(resource.attributes),
          })
      response.end('{}')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

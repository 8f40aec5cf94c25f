/** A stand-in for the National Weather Service: points and cells in its format. A test can change everything. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { startUpstream, type Upstream } from '../../upstream.ts'
import type { Told } from './nws-bodies.ts'

export { forecastBody, pointBody, problems, type Told } from './nws-bodies.ts'

export interface Nws extends Upstream {
  /** Returns the paths requested since the last call. */
  asks(): string[]
}

export async function startNws(
  answer: (path: string, request: IncomingMessage) => Told | undefined,
): Promise<Nws> {
  const upstream = await startUpstream((request, response: ServerResponse) => {
    const told = answer(request.url ?? '', request)
    if (!told) return
    response.writeHead(told.status ?? 200, { 'content-type': 'application/geo+json', ...told.headers })
    response.end(told.body)
  })
  return { ...upstream, asks: () => upstream.asked.splice(0).map(({ url }) => url ?? '') }
}

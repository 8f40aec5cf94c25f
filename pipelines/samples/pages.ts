/** Makes a sample of fixed paths. Each page is written for the moment of the request. */
import type { Sample } from '../rails/outside/upstreams/upstream.ts'

export const pages =
  (bodies: Readonly<Record<string, (now: number) => string | Buffer>>): Sample =>
  ({ path, now }) => {
    const body = bodies[path]?.(now)
    if (body === undefined) return undefined
    if (typeof body !== 'string') return { type: 'application/zip', body }
    return { type: /^[[{]/.test(body) ? 'application/json' : 'text/xml', body }
  }

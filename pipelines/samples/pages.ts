/** A sample of fixed pages, each as of the moment it is asked for. */
import type { Sample } from '../outside/upstream.ts'

export const pages =
  (bodies: Readonly<Record<string, (now: number) => string | Buffer>>): Sample =>
  ({ path, now }) => {
    const body = bodies[path]?.(now)
    if (body === undefined) return undefined
    return { type: typeof body === 'string' ? 'text/xml' : 'application/zip', body }
  }

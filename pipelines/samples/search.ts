/** A web search over the pages of the sandbox's own web, in the format of SearXNG. */
import type { Sample } from '../outside/upstream.ts'

export const sample: Sample = ({ path }) =>
  path === '/search' ? { type: 'application/json', body: '{"results":[]}' } : undefined

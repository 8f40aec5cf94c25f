import type { Upstream } from '../../rails/outside/upstreams/upstream.ts'
import { liveOf } from './apis.ts'

/** One upstream out of several that operators choose from: SEARCH_API says how it is spoken to. */
export const searchUpstream: Upstream = {
  variable: 'SEARCH_URL',
  live: 'https://google.serper.dev',
  liveBy: ({ SEARCH_API }) => liveOf(SEARCH_API),
  title: 'web search, if `SEARCH_API` is set',
  credit: 'web search',
  sample: () => import('../../samples/search.ts'),
}

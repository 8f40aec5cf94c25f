/** Every upstream that sources and lookups name, and every rate of them. */
import { lookups } from './lookups/index.ts'
import type { Upstream, UpstreamRate } from './rails/outside/upstreams/upstream.ts'
import { sources } from './sources/index.ts'

const ofSources = sources.flatMap(({ upstreams }) => upstreams)
const ofLookups = lookups.flatMap(({ upstream }) => upstream ?? [])

export const upstreams: readonly Upstream[] = [...new Set([...ofSources, ...ofLookups])]

export const rates: readonly UpstreamRate[] = [...new Set(upstreams.flatMap(({ rate }) => rate ?? []))]

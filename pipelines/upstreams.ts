/** Every upstream of a process: those that its sources and lookups name. */
import { lookups } from './lookups/index.ts'
import type { Upstream } from './outside/upstream.ts'
import { sources } from './sources/index.ts'

const ofSources = sources.flatMap(({ upstreams }) => upstreams)
const ofLookups = lookups.flatMap(({ upstream }) => upstream ?? [])

export const upstreams: readonly Upstream[] = [...new Set([...ofSources, ...ofLookups])]

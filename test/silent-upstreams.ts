/** Addresses at which nobody answers, for every upstream: a test asks no live host, whatever upstreams come. */
import { upstreams } from '../pipelines/index.ts'

export const nobody = 'http://127.0.0.1:9'
export const silentUpstreams: Readonly<Record<string, string>> = Object.fromEntries(
  upstreams.map(({ variable }) => [variable, nobody]),
)

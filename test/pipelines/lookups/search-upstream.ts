/** Bodies in the formats of the upstreams of web search. */
import { readFileSync } from 'node:fs'
import type { SearchApiName } from '../../../pipelines/lookups/search/apis.ts'

export const recordedBody = (api: SearchApiName): string =>
  readFileSync(new URL(`../../recorded/search/${api}.json`, import.meta.url), 'utf8')

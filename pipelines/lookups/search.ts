/** Searches the web with the upstream that the operator has chosen. */

import type { Lookup } from './lookup.ts'
import { brave } from './search/brave.ts'
import type { Found, SearchApi, SearchAsked } from './search/results.ts'
import { searxng } from './search/searxng.ts'
import { serper } from './search/serper.ts'
import { searchUpstream } from './search/upstream.ts'

export type { AnswerBox, Found, SearchApi, SearchAsked, SearchResult } from './search/results.ts'

export const searchApis = { serper, brave, searxng } as const satisfies Record<string, SearchApi>
export type SearchApiName = keyof typeof searchApis
export const searchApiNames = Object.keys(searchApis) as SearchApiName[]

export interface SearchChoice {
  api: SearchApiName
  token: string | undefined
}

interface Needs {
  /** Absent: the operator has chosen none. */
  search?: SearchChoice | undefined
}

/** Undefined: no upstream is configured. Without results, `results` is empty. */
export const searchLookup: Lookup<SearchAsked, Found, Needs> = {
  name: 'search',
  timeoutMs: 10_000,
  upstream: searchUpstream,
  open: ({ search }) => ({
    async find(asked, outside) {
      if (!search) return undefined
      const { request, read, credit } = searchApis[search.api]
      const { path, headers, body } = request(asked, search.token)
      const answer = await outside.get(searchUpstream, path, {
        accept: 'application/json',
        headers,
        ...(body === undefined ? {} : { body }),
        timeoutMs: 9_000,
        maxBytes: 4 << 20,
        urgent: true,
        secret: true,
      })
      const { results, answerBox } = read(answer.text(), answer.from, outside.now())
      return { results: results.slice(0, asked.num), answerBox, source: credit }
    },
  }),
}

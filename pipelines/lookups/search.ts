/** Searches the web with the upstream that the operator has chosen. */

import type { Lookup } from './lookup.ts'
import { type SearchChoice, searchApis, searchVariables } from './search/apis.ts'
import type { SearchAsked, SearchHit } from './search/results.ts'
import { searchUpstream } from './search/upstream.ts'

export type { SearchChoice } from './search/apis.ts'
export type { AnswerBox, SearchAsked, SearchHit, SearchResult } from './search/results.ts'

interface Needs {
  /** Absent: the operator has chosen none. */
  search?: SearchChoice | undefined
}

/** Undefined: no upstream is configured. Without results, `results` is empty. */
export const searchLookup: Lookup<SearchAsked, SearchHit, Needs> = {
  name: 'search',
  timeoutMs: 10_000,
  upstream: searchUpstream,
  variables: [searchVariables],
  needs: ({ read }) => ({ search: read(searchVariables) }),
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

/** The web searches that an operator chooses from. */
import { z } from 'zod'
import { code, text } from '../../rails/environment/kinds.ts'
import { ConfigError, defineVariables } from '../../rails/environment/variables.ts'
import { brave } from './brave.ts'
import type { SearchApi } from './results.ts'
import { searxng } from './searxng.ts'
import { serper } from './serper.ts'

export const searchApis = { serper, brave, searxng } as const satisfies Record<string, SearchApi>
export type SearchApiName = keyof typeof searchApis
const names = Object.keys(searchApis) as SearchApiName[]

export interface SearchChoice {
  api: SearchApiName
  token: string | undefined
}

/** Undefined: the operator has chosen none. */
export const searchVariables = defineVariables(
  {
    SEARCH_API: z
      .enum(names, `one of ${names.join(' ')}`)
      .optional()
      .describe(
        `how web search is asked: ${code(names)}; operations that search answer 503 if unset. \`SEARCH_URL\` is its own address if unset, and required with \`searxng\``,
      ),
    SEARCH_TOKEN: text('a key').optional().describe('the key to it'),
  },
  ({ SEARCH_API: api, SEARCH_TOKEN: token }, { set }): SearchChoice | undefined => {
    if (!api) return undefined
    const { live }: SearchApi = searchApis[api]
    if (live === undefined && !set.SEARCH_URL)
      throw new ConfigError(`SEARCH_URL is unset; it should be the address of your ${api}`)
    return { api, token }
  },
)

/** The address of the one of this name. */
export const liveOf = (api: string | undefined): string | undefined =>
  Object.entries<SearchApi>(searchApis).find(([name]) => name === api)?.[1].live

/** A view for an origin in code: the rows of one select, with the rights and bounds of what a file sells. */
import type { Lookup } from '../../../pipelines/lookups/lookup.ts'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import type { Process } from '../../../pipelines/rails/process.ts'
import { QueryRefused, StoreError } from '../../../pipelines/rails/store/store.ts'

interface Selected {
  name: string
  /** `{station:String}` is a parameter, which the engine binds. */
  query: string
  withinMs?: number
}

export const viewLookup = <
  Row = Record<string, unknown>,
  Parameters extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
>({
  name,
  query,
  withinMs = 5_000,
}: Selected): Lookup<Parameters, readonly Row[]> => ({
  name,
  timeoutMs: withinMs,
  needs: ({ store }) => store,
  open: store => ({
    async find(parameters, { signal }) {
      try {
        const opened = await (store as Process['store'])()
        const lines = await opened.sold(query, parameters, { signal, withinMs })
        return JSON.parse(`[${lines.split('\n').filter(Boolean).join(',')}]`) as Row[]
      } catch (error) {
        if (error instanceof QueryRefused || error instanceof StoreError)
          throw new UpstreamFailed(`${name}: ${error.message}`)
        throw error
      }
    },
  }),
})

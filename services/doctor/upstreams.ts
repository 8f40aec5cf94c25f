/** Do the services of others answer that this process asks? */
import { upstreams } from '../../pipelines/index.ts'
import type { Upstream } from '../../pipelines/rails/outside/upstreams/upstream.ts'
import { ask } from './asking.ts'
import { type Diagnosis, type Look, type Patient, reasonOf, says } from './diagnosis.ts'

const say = says('upstreams')
const asks = ['ingest', 'query'] as const

/** The search has no address of its own until SEARCH_API says whose it is. */
const isUsed = ({ variable, replacedBy }: Upstream, set: Patient['set']): boolean =>
  !(replacedBy && set[replacedBy]) && !(variable === 'SEARCH_URL' && !set.SEARCH_API)

export const lookAtUpstreams: Look = async patient => {
  const { config, set } = patient
  if (!asks.some(role => config.ROLES.includes(role))) return []
  return Promise.all(
    upstreams
      .filter(upstream => isUsed(upstream, set))
      .map(async ({ variable, title, probe }): Promise<Diagnosis> => {
        const base = config.upstreams[variable] as string
        const { host } = new URL(base)
        try {
          const { status, text } = await ask(patient, base + (probe?.path ?? ''), {
            method: probe ? 'GET' : 'HEAD',
          })
          if (probe && (status !== 200 || !probe.proof.test(text)))
            return say(
              'wrong',
              `${host} (${title}) answers HTTP ${status}, and not as it should: a block, a proxy, or another format`,
            )
          return say('well', `${host} (${title}) answers`)
        } catch (error) {
          return say('wrong', `${host} (${title}) does not answer: ${reasonOf(error)}`)
        }
      }),
  )
}

/** Do the facilitators answer, do they take our tokens, and do they serve the networks that we sell on? */
import { networks } from '../../schemas/tables/networks.ts'
import { saleConfig } from '../config/config.ts'
import { Facilitator } from '../till/facilitator/facilitator.ts'
import { self } from '../till/variables.ts'
import { type Diagnosis, type Look, reasonOf, says } from './diagnosis.ts'

const say = says('facilitators')

export const lookAtFacilitators: Look = async ({ config, now, patienceMs }) => {
  if (!config.ROLES.includes('query')) return []
  const { facilitators } = saleConfig(config)
  const served = new Set<string>()
  const found = await Promise.all(
    facilitators.map(async ({ places = {}, ...address }): Promise<Diagnosis[]> => {
      const wanted = config.NETWORKS.filter(name => name in places)
      if (address.url === self) {
        for (const name of wanted) served.add(name)
        return [say('well', `this process settles by itself on ${wanted.join(', ')}`)]
      }
      const { host } = new URL(address.url)
      const facilitator = new Facilitator({ ...address, now, connections: 1 })
      try {
        const { kinds } = await facilitator.supported(patienceMs)
        const has = wanted.filter(name => kinds.some(({ network }) => network === networks[name].caip2))
        for (const name of has) served.add(name)
        const lacking = wanted.filter(name => !has.includes(name))
        return [
          ...(has.length ? [say('well', `${host} serves ${has.join(', ')}`)] : []),
          ...(lacking.length
            ? [say('watch', `${host} does not serve ${lacking.join(', ')}, which its variable asks of it`)]
            : []),
        ]
      } catch (error) {
        return [say('wrong', `${host} does not answer /supported, or refuses its token: ${reasonOf(error)}`)]
      } finally {
        await facilitator.close()
      }
    }),
  )
  const unserved = config.NETWORKS.filter(name => !served.has(name))
  return [
    ...found.flat(),
    ...unserved.map(name => say('wrong', `nobody settles on ${name}: nothing is sold there`)),
  ]
}

/** Looks at a deployment with the eyes of one of its processes: what it is told, whom it reaches, and where it stands. */

import { checkPlaces } from '../config/blobs-place.ts'
import { type Config, checkParts, readConfig, saleConfig } from '../config/config.ts'
import { settleConfig } from '../config/settle-config.ts'
import { lookAtAlerts } from './alerts.ts'
import { type Diagnosis, type Look, type Patient, reasonOf, says } from './diagnosis.ts'
import { lookAtDoor } from './door.ts'
import { lookAtFacilitators } from './facilitators.ts'
import { withoutSecrets } from './hidden-words.ts'
import { clockFinding, lookAtDisk, lookAtVersions } from './machine.ts'
import { lookAtNodes } from './nodes.ts'
import { lookAtBlobs, lookAtLog, lookAtStore } from './rails.ts'
import { lookAtUpstreams } from './upstreams.ts'

const looks: Readonly<Record<string, Look>> = {
  versions: lookAtVersions,
  disk: lookAtDisk,
  log: lookAtLog,
  store: lookAtStore,
  blobs: lookAtBlobs,
  nodes: lookAtNodes,
  facilitators: lookAtFacilitators,
  upstreams: lookAtUpstreams,
  door: lookAtDoor,
  alerts: lookAtAlerts,
}

interface Options {
  prometheus?: string | undefined
  now?: () => number
  patienceMs?: number
}

const usualPatienceMs = 10_000

type Environment = Readonly<Record<string, string | undefined>>

/** Every finding. Wrong variables are told alone, because nothing else can be looked at with them. */
export async function checkUp(env: Environment, options: Options = {}): Promise<Diagnosis[]> {
  const { prometheus, now = Date.now, patienceMs = usualPatienceMs } = options
  const { config, findings } = variablesOf(env)
  const clear = withoutSecrets(env)
  const cleared = (told: Diagnosis[]) =>
    told.map(({ words, ...finding }) => ({ ...finding, words: clear(words) }))
  if (!config) return cleared(findings)
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const patient: Patient = { config, set, now, ahead: new Map(), patienceMs, prometheus }
  const found = await Promise.all(
    Object.entries(looks).map(([part, look]) =>
      look(patient).catch((error: unknown) => [says(part)('wrong', reasonOf(error))]),
    ),
  )
  return cleared([...findings, ...found.flat(), clockFinding(patient)])
}

function variablesOf(env: Environment): { config?: Config; findings: Diagnosis[] } {
  const say = says('variables')
  try {
    const config = readConfig(env)
    checkParts(config)
    checkPlaces(config)
    if (config.ROLES.includes('query')) saleConfig(config)
    settleConfig(config)
    return { config, findings: [say('well', `the variables fit together for ${config.ROLES.join(',')}`)] }
  } catch (error) {
    return {
      findings: reasonOf(error)
        .split('\n')
        .map(line => say('wrong', line)),
    }
  }
}

/** Does Prometheus ask every process, does it know the alerts, and is somebody told? */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { askJson } from './asking.ts'
import { type Diagnosis, type Look, type Patient, reasonOf, says } from './diagnosis.ts'

const say = says('alerts')
/** In a checkout. An image does not have it. */
const alertsFile = fileURLToPath(new URL('../../deploy/alerts.yaml', import.meta.url))

interface Rules {
  groups: { rules: { name: string; type: string; health?: string; state?: string }[] }[]
}
interface Targets {
  activeTargets: { health: string; labels: { job: string; instance: string }; lastError: string }[]
}
interface Managers {
  activeAlertmanagers: { url: string }[]
}

export const lookAtAlerts: Look = async patient => {
  const { prometheus } = patient
  if (!prometheus)
    return [
      say('unseen', 'name your Prometheus with --prometheus, to see whether somebody is told of trouble'),
    ]
  const ask = async <T>(what: string) =>
    (
      await askJson<{ data: T }>(
        patient,
        new URL(`api/v1/${what}`, prometheus.endsWith('/') ? prometheus : `${prometheus}/`).href,
      )
    ).data
  try {
    const [rules, targets, managers] = await Promise.all([
      ask<Rules>('rules'),
      ask<Targets>('targets'),
      ask<Managers>('alertmanagers'),
    ])
    return [...ofRules(rules), ...ofTargets(targets, patient), ...ofManagers(managers)]
  } catch (error) {
    return [say('wrong', `Prometheus does not answer as one: ${reasonOf(error)}`)]
  }
}

function ofRules({ groups }: Rules): Diagnosis[] {
  const alerts = groups.flatMap(({ rules }) => rules.filter(({ type }) => type === 'alerting'))
  const has = new Set(alerts.map(({ name }) => name))
  const wanted = existsSync(alertsFile)
    ? [...readFileSync(alertsFile, 'utf8').matchAll(/^ *- alert: (\w+)/gm)].map(([, name = '']) => name)
    : []
  const lacking = wanted.filter(name => !has.has(name))
  const broken = alerts.filter(({ health }) => health === 'err').map(({ name }) => name)
  const firing = [...new Set(alerts.filter(({ state }) => state === 'firing').map(({ name }) => name))]
  return [
    has.size === 0 || lacking.length
      ? say('wrong', `Prometheus lacks ${lacking.join(', ') || 'every alert'}: give it deploy/alerts.yaml`)
      : say('well', `Prometheus has ${has.size} alerts`),
    ...(broken.length ? [say('wrong', `Prometheus cannot evaluate ${broken.join(', ')}`)] : []),
    ...firing.map(name => say('wrong', `${name} fires: deploy/README.md says what to do`)),
  ]
}

function ofTargets({ activeTargets }: Targets, { config }: Patient): Diagnosis[] {
  const down = activeTargets.filter(({ health }) => health !== 'up')
  const jobs = new Set(activeTargets.map(({ labels }) => labels.job))
  return [
    activeTargets.length === 0
      ? say('wrong', 'Prometheus asks no process of ours')
      : say('well', `Prometheus asks ${activeTargets.length} processes: ${[...jobs].join(', ')}`),
    ...down.map(({ labels }) => say('wrong', `Prometheus cannot reach ${labels.job} at ${labels.instance}`)),
    ...(config.ROLES.includes('query') && !jobs.has('query')
      ? [say('watch', 'no job of Prometheus is called query, and the alerts name it so')]
      : []),
  ]
}

const ofManagers = ({ activeAlertmanagers }: Managers): Diagnosis[] => [
  activeAlertmanagers.length
    ? say('well', `alerts go to ${activeAlertmanagers.map(({ url }) => new URL(url).host).join(', ')}`)
    : say('wrong', 'Prometheus tells nobody: it knows no Alertmanager'),
]

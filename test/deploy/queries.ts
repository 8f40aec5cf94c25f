/** Every deployed query: the operators' panels, the alerts, and the recording rules. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { operating } from '../../deploy/grafana/boards/index.ts'

export const deployed = (name: string): string =>
  readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')

export const panels = operating
  .flatMap(({ glance, panels }) => [...glance, ...panels])
  .filter((panel, index, all) => all.findIndex(({ title }) => title === panel.title) === index)

export interface Alert {
  alert: string
  expr: string
  labels: Record<string, string>
  annotations?: Record<string, string>
}
export interface Recorded {
  record: string
  expr: string
  labels?: Record<string, string>
}
const rulesOf = (file: string) =>
  (parse(deployed(file)) as { groups: { rules: (Alert | Recorded)[] }[] }).groups.flatMap(
    group => group.rules,
  )
const rules = ['alerts.yaml', 'slo.yaml'].flatMap(rulesOf)
export const alerts = rules.filter(rule => 'alert' in rule)
export const recorded = rules.filter(rule => 'record' in rule)

/** Grafana replaces these with a duration before it asks. */
const asAsked = (expr: string) => expr.replaceAll(/\$__(rate_interval|range)\b/g, '1m')

export const panelQueries = panels.flatMap(({ title, ask }) =>
  Object.values(ask).map(query => ({ where: `panel ${title}`, expr: asAsked(query) })),
)
export const ruleQueries = rules.map(rule => ({
  where: 'alert' in rule ? `alert ${rule.alert}` : `record ${rule.record} ${rule.labels?.slo ?? ''}`,
  expr: rule.expr,
}))

/** Every query that is deployed: the board's panels, the alerts, and the series that rules record. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export const deployed = (name: string): string =>
  readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')

interface Panel {
  title: string
  type: string
  description?: string
  targets?: { expr: string }[]
  fieldConfig?: { defaults: { unit?: string; thresholds?: { steps: unknown[] } } }
}
export const panels = (JSON.parse(deployed('grafana/farebox.json')) as { panels: Panel[] }).panels.filter(
  panel => panel.type !== 'row',
)

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

/** Grafana puts a time in for these before it asks. */
const asAsked = (expr: string) => expr.replaceAll(/\$__(rate_interval|range)\b/g, '1m')

export const panelQueries = panels.flatMap(panel =>
  (panel.targets ?? []).map(target => ({ where: `panel ${panel.title}`, expr: asAsked(target.expr) })),
)
export const ruleQueries = rules.map(rule => ({
  where: 'alert' in rule ? `alert ${rule.alert}` : `record ${rule.record} ${rule.labels?.slo ?? ''}`,
  expr: rule.expr,
}))

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

export interface Rule {
  alert: string
  expr: string
  labels: Record<string, string>
  annotations?: Record<string, string>
}
export const rules = (parse(deployed('alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  group => group.rules,
)

/** Grafana puts a time in for these before it asks. */
const asAsked = (expr: string) => expr.replaceAll(/\$__(rate_interval|range)\b/g, '1m')

export const panelQueries = panels.flatMap(panel =>
  (panel.targets ?? []).map(target => ({ where: `panel ${panel.title}`, expr: asAsked(target.expr) })),
)
export const ruleQueries = rules.map(rule => ({
  where: `rule ${rule.alert}`,
  expr: rule.expr,
}))

/** What a board declares, and the JSON that Grafana reads of it. `npx node deploy/grafana/write.ts` writes all of them. */

export interface Panel {
  title: string
  /** The name of a unit, as Grafana lists them. */
  unit: string
  /** What it shows, in full sentences. */
  description: string
  /** The heading of deploy/README.md where an operator goes on. */
  runbook: string
  /** Legend to query. `{{label}}` stands for the value of a label. */
  ask: Record<string, string>
  kind: 'stat' | 'timeseries' | 'bargauge' | 'table' | 'barchart'
  /** Green up to the first bound; without bounds it judges nothing. `below` turns them round: low is bad. */
  bounds?: { warn?: number; bad: number; below?: boolean }
  /** The words that stand for numbers. */
  words?: Record<number, string>
  source: 'prometheus' | 'clickhouse'
}

export interface Board {
  uid: string
  title: string
  /** The question that it answers. */
  description: string
  /** The first row: what must be seen at a glance. */
  glance: readonly Panel[]
  panels: readonly Panel[]
  /** The time that is shown at first. */
  from?: string
}

type Told = Omit<Panel, 'title' | 'unit' | 'ask' | 'kind' | 'source'>
type Asked = string | Record<string, string>

const panel =
  (kind: Panel['kind'], source: Panel['source'] = 'prometheus') =>
  (title: string, unit: string, ask: Asked, told: Told): Panel => ({
    ...told,
    title,
    unit,
    kind,
    source,
    ask: typeof ask === 'string' ? { __auto: ask } : ask,
  })

export const stat = panel('stat')
export const lines = panel('timeseries')
export const bars = panel('bargauge')
/** One number from ClickHouse, read with the rights of an analyst. */
export const count = panel('stat', 'clickhouse')
export const rows = panel('table', 'clickhouse')
export const columns = panel('barchart', 'clickhouse')

const rowUnits = 24
const glanceHeight = 4
const panelHeight = 8
const runbooks = 'https://github.com/farebox/farebox/blob/main/deploy/README.md'

export function boardJson({ uid, title, description, glance, panels, from = 'now-6h' }: Board): unknown {
  const width = Math.floor(rowUnits / glance.length)
  const inRow = 3
  return {
    uid,
    title: `Farebox: ${title}`,
    description,
    tags: ['farebox'],
    timezone: 'utc',
    editable: false,
    graphTooltip: 1,
    schemaVersion: 41,
    version: 1,
    refresh: '30s',
    time: { from, to: 'now' },
    links: [{ title: 'Boards', type: 'dashboards', tags: ['farebox'], asDropdown: true, keepTime: true }],
    templating: { list: [{ name: 'runbooks', type: 'constant', query: runbooks, hide: 2 }] },
    annotations: {
      list: [
        {
          name: 'Alerts',
          datasource: { type: 'prometheus', uid: 'prometheus' },
          enable: true,
          iconColor: 'red',
          expr: 'ALERTS{alertstate="firing", severity="critical"}',
          titleFormat: '{{alertname}}',
        },
      ],
    },
    panels: [
      ...glance.map((one, index) =>
        panelJson(one, index + 1, { x: index * width, y: 0, w: width, h: glanceHeight }),
      ),
      ...panels.map((one, index) =>
        panelJson(one, glance.length + index + 1, {
          x: (index % inRow) * (rowUnits / inRow),
          y: glanceHeight + Math.floor(index / inRow) * panelHeight,
          w: rowUnits / inRow,
          h: panelHeight,
        }),
      ),
    ],
  }
}

const types = { prometheus: 'prometheus', clickhouse: 'grafana-clickhouse-datasource' }

function panelJson({ kind, source, ...panel }: Panel, id: number, gridPos: Record<string, number>): unknown {
  const datasource = { type: types[source], uid: source }
  return {
    id,
    type: kind,
    title: panel.title,
    description: panel.description,
    datasource,
    gridPos,
    links: [{ title: 'Runbook', url: `\${runbooks}#${panel.runbook}`, targetBlank: true }],
    targets: Object.entries(panel.ask).map(([legend, query], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource,
      ...(source === 'prometheus'
        ? { expr: query, legendFormat: legend, instant: kind !== 'timeseries', range: kind === 'timeseries' }
        : { rawSql: query, editorType: 'sql', queryType: 'table', format: 1 }),
    })),
    fieldConfig: {
      defaults: {
        unit: panel.unit,
        min: 0,
        thresholds: { mode: 'absolute', steps: steps(panel.bounds) },
        mappings: panel.words ? [{ type: 'value', options: mapped(panel.words) }] : [],
        custom: kind === 'timeseries' ? { lineWidth: 1, fillOpacity: 5, showPoints: 'never' } : {},
      },
      overrides: [],
    },
    options: optionsOf(kind),
  }
}

function steps(bounds: Panel['bounds']): { color: string; value: number | null }[] {
  if (!bounds) return [{ color: 'text', value: null }]
  const { warn, bad, below } = bounds
  if (below)
    return [
      { color: 'red', value: null },
      ...(warn === undefined ? [] : [{ color: 'orange', value: bad }]),
      { color: 'green', value: warn ?? bad },
    ]
  return [
    { color: 'green', value: null },
    ...(warn === undefined ? [] : [{ color: 'orange', value: warn }]),
    { color: 'red', value: bad },
  ]
}

const mapped = (words: Record<number, string>) =>
  Object.fromEntries(Object.entries(words).map(([value, text], index) => [value, { text, index }]))

const reduceOptions = { calcs: ['lastNotNull'], fields: '', values: false }

function optionsOf(kind: Panel['kind']): unknown {
  switch (kind) {
    case 'stat':
      return { reduceOptions, colorMode: 'background', graphMode: 'none', textMode: 'auto' }
    case 'bargauge':
      return { reduceOptions, displayMode: 'gradient', orientation: 'horizontal' }
    case 'timeseries':
      return {
        legend: {
          displayMode: 'table',
          placement: 'bottom',
          calcs: ['lastNotNull', 'max'],
          showLegend: true,
        },
        tooltip: { mode: 'multi', sort: 'desc' },
      }
    case 'barchart':
      return { orientation: 'horizontal', legend: { showLegend: false } }
    case 'table':
      return { showHeader: true }
  }
}

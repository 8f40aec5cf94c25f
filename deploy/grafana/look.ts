/**
 * Shows every board on one page without Grafana: each panel with the answer of a running Prometheus, or of ClickHouse.
 * `npm run boards -- http://127.0.0.1:9090 'http://127.0.0.1:8123/?user=analyst' > boards.html`
 */
import { type Board, boardJson, type Panel } from './board.ts'
import { analysing, operating } from './boards/index.ts'
import { barred, drawn, escaped, type Series, said, tabled } from './look/draw.ts'

const [prometheus = 'http://127.0.0.1:9090', clickhouse = 'http://127.0.0.1:8123/?user=analyst'] =
  process.argv.slice(2)
const shownMs = 15 * 60_000
const steps = 90

interface Sample {
  metric: Record<string, string>
  value?: [number, string]
  values?: [number, string][]
}

async function asked(panel: Panel, query: string): Promise<Sample[]> {
  const now = Date.now() / 1000
  const expr = query.replaceAll(/\$__(rate_interval|range)\b/g, '1m')
  const over = { start: `${now - shownMs / 1000}`, end: `${now}`, step: `${shownMs / 1000 / steps}` }
  const [path, more] = panel.kind === 'timeseries' ? ['query_range', over] : ['query', { time: `${now}` }]
  const response = await fetch(
    `${prometheus}/api/v1/${path}?${new URLSearchParams({ query: expr, ...more })}`,
  )
  const { data, error } = (await response.json()) as { data?: { result: Sample[] }; error?: string }
  if (!data) throw new Error(`${panel.title}: ${error}`)
  return data.result
}

/** `{{label}}` in the legend stands for the value of a label. */
const named = (legend: string, { metric }: Sample) =>
  legend === '__auto'
    ? Object.values(metric).join(' ')
    : legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? '')

async function seriesOf(panel: Panel): Promise<Series[]> {
  const all = await Promise.all(
    Object.entries(panel.ask).map(async ([legend, query]) =>
      (await asked(panel, query)).map(sample => ({
        name: named(legend, sample),
        points: (sample.values ?? (sample.value ? [sample.value] : [])).map(
          ([at, value]) => [at, Number(value)] as const,
        ),
      })),
    ),
  )
  return all.flat()
}

/** What Grafana writes in place of its macros, for the last 30 days. */
const sinceDays = 30
const withTimes = (sql: string) =>
  sql
    .replaceAll(/\$__timeFilter\((\w+)\)/g, `$1 > now() - interval ${sinceDays} day`)
    .replaceAll(/\$__dateFilter\((\w+)\)/g, `$1 > today() - ${sinceDays}`)

async function rowsOf({ ask, title }: Panel): Promise<Record<string, unknown>[]> {
  const query = withTimes(Object.values(ask)[0] ?? '')
  const response = await fetch(clickhouse, { method: 'POST', body: `${query} format JSON` })
  if (!response.ok) throw new Error(`${title}: ${await response.text()}`)
  return ((await response.json()) as { data: Record<string, unknown>[] }).data
}

/** Text, where the panel shows a day or a name. */
function answerIn([row]: readonly Record<string, unknown>[]): number | string | undefined {
  const [value] = Object.values(row ?? {})
  if (value === undefined || value === null) return undefined
  return Number.isNaN(Number(value)) ? String(value) : Number(value)
}

async function body(panel: Panel): Promise<string> {
  if (panel.source === 'clickhouse') {
    const rows = await rowsOf(panel)
    return panel.kind === 'stat' ? said(panel, answerIn(rows)) : tabled(rows)
  }
  const series = await seriesOf(panel)
  if (panel.kind === 'stat') return said(panel, series[0]?.points.at(-1)?.[1])
  return panel.kind === 'bargauge' ? barred(panel, series) : drawn(panel, series)
}

async function boardHtml(board: Board): Promise<string> {
  const { panels } = boardJson(board) as { panels: { gridPos: { x: number; w: number; h: number } }[] }
  const shown = await Promise.all(
    [...board.glance, ...board.panels].map(async (panel, i) => {
      const { x, w, h } = (panels[i] as (typeof panels)[number]).gridPos
      const inner = await body(panel).catch(error => `<p class="failed">${escaped(String(error))}</p>`)
      return `<section style="grid-column:${x + 1}/span ${w};grid-row:span ${h}" title="${escaped(panel.description)}"><h3>${escaped(panel.title)}</h3>${inner}</section>`
    }),
  )
  return `<h2>${escaped(board.title)}</h2><p>${escaped(board.description)}</p><div class="grid">${shown.join('')}</div>`
}

const style = `body{background:#111217;color:#ccccdc;font:12px sans-serif;width:1500px}
.grid{display:grid;grid-template-columns:repeat(24,1fr);grid-auto-rows:30px;gap:8px}
section{background:#181b1f;border:1px solid #2c3235;padding:6px;overflow:hidden}h3{margin:0 0 4px;font-size:12px}
.stat{font-size:26px;text-align:center;padding:10px;color:#fff}.failed,.empty{color:#ff9830}
table{width:100%;font-size:10px;border-collapse:collapse}td,th{text-align:left;padding:1px 4px}svg{width:100%;height:120px}`

const boards = await Promise.all([...operating, ...analysing].map(boardHtml))
process.stdout.write(`<!doctype html><meta charset="utf-8"><style>${style}</style>${boards.join('')}`)

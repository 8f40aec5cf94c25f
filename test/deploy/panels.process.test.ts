import { Histogram } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { metrics, registry } from '../../pipelines/rails/metrics.ts'
import { until } from '../until.ts'
import { labelNamesOf, startTarget } from './metrics-target.ts'
import { installed, Prometheus } from './prometheus.ts'
import { readQuery } from './promql.ts'
import { panelQueries, recorded, ruleQueries } from './queries.ts'

const all = [...panelQueries, ...ruleQueries]
const fromPrometheus: Record<string, string[]> = { up: [], ALERTS: ['alertname', 'alertstate'] }
const fromScrape = ['job', 'instance']

/** Every exposed series by its name on the page, with its labels. */
const exposed = new Map<string, string[]>()
for (const metric of registry.getMetricsAsArray()) {
  const labels = labelNamesOf(metric)
  if (metric instanceof Histogram)
    for (const part of ['bucket', 'sum', 'count'])
      exposed.set(`${metric.name}_${part}`, part === 'bucket' ? [...labels, 'le'] : labels)
  else exposed.set(metric.name, labels)
}

for (const { record, expr, labels = {} } of recorded) {
  const { grouping } = readQuery(expr)
  exposed.set(record, [...(exposed.get(record) ?? []), ...Object.keys(labels), ...grouping, 'slo', 'source'])
}

describe('the metrics of panels and alerts', () => {
  it.each(all)('$where uses metrics and labels that exist', ({ expr }) => {
    const { selectors, grouping } = readQuery(expr)
    const labels = new Set(fromScrape)
    for (const { metric, labels: matched } of selectors) {
      const own = exposed.get(metric) ?? fromPrometheus[metric]
      if (!own) expect.fail(`nothing is called ${metric}`)
      expect([...own, ...fromScrape]).toEqual(expect.arrayContaining(matched))
      for (const label of own) labels.add(label)
    }
    expect([...labels]).toEqual(expect.arrayContaining(grouping))
  })

  it('leaves out no metric of the list', () => {
    const asked = new Set(all.flatMap(({ expr }) => readQuery(expr).selectors.map(({ metric }) => metric)))
    const unseen = Object.values(metrics)
      .map(metric => (metric as unknown as { name: string }).name)
      .filter(name => ![name, `${name}_bucket`, `${name}_count`].some(series => asked.has(series)))
    expect(unseen).toEqual([])
  })
})

const able = installed('prometheus')

describe.skipIf(!able)(able ? 'a real Prometheus' : 'a real Prometheus, which is not installed', () => {
  const prometheus = new Prometheus()
  let close = async () => {}
  // The host:port of a running service. Without it a stand-in answers the queries.
  const service = process.env.METRICS_TARGET

  beforeAll(async () => {
    const target = service ? { address: service, close } : await startTarget()
    close = target.close
    await prometheus.start(target.address)
    await until(
      async () => (await prometheus.query('min(count_over_time(up[1m])) >= 4')).length,
      'four scrapes of every job',
    )
    expect(await prometheus.query('up == 0')).toEqual([])
  })
  afterAll(async () => {
    await prometheus.stop()
    await close()
  })

  it.each(panelQueries)('$where shows something', async ({ expr }) => {
    const result = await prometheus.query(expr)
    const present = await Promise.all(
      readQuery(expr).selectors.map(async ({ metric, text }) => {
        if (metric in fromPrometheus && metric !== 'up') return false
        return (await prometheus.query(text)).length > 0
      }),
    )
    if (!service && !expr.includes('ALERTS')) expect(present).not.toContain(false)
    if (!present.includes(false)) expect(result).not.toEqual([])
  })

  it.each(ruleQueries)('$where is answered', async ({ expr }) => {
    await expect(prometheus.query(expr)).resolves.toBeInstanceOf(Array)
  })
})

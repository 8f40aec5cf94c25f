/** A process to scrape. Every metric of the list changes in it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Counter, Gauge, Histogram } from 'prom-client'
import { metrics, registry } from '../../pipelines/rails/metrics.ts'

const labelValues: Record<string, string[]> = {
  origin: ['data'],
  operation: ['exchangeRate'],
  status: ['200', '503'],
  code: ['stale_data'],
  network: ['base'],
  state: ['intended', 'settled', 'failed', 'known', 'present', 'free', 'total', 'used', 'limit'],
  step: ['answer', 'promise', 'settle'],
  call: ['settle'],
  outcome: ['ok', 'failed'],
  source: ['faa'],
}
const rounds = Math.max(...Object.values(labelValues).map(({ length }) => length))

const times = new Set<object>([metrics.polledAt, metrics.ipDatabaseBuiltAt])

export const labelNamesOf = (metric: object): string[] => (metric as { labelNames: string[] }).labelNames

function move(metric: object, round: number): void {
  const moved = (label: string) => labelValues[label]?.at(round % labelValues[label].length) ?? 'any'
  const labels = Object.fromEntries(labelNamesOf(metric).map(label => [label, moved(label)])) as never
  if (metric instanceof Counter) metric.inc(labels, 1)
  else if (metric instanceof Histogram) metric.observe(labels, 0.02)
  else if (metric instanceof Gauge) metric.set(labels, times.has(metric) ? Date.now() / 1000 : 1)
}

export async function startTarget() {
  const server = createServer(async (_request, response) => {
    for (let round = 0; round < rounds; round++)
      for (const metric of Object.values(metrics)) move(metric, round)
    response.setHeader('content-type', registry.contentType).end(await registry.metrics())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    address: `127.0.0.1:${port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

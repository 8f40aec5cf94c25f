/** The sink role moves every topic into its table. */
import { startSink } from '../../pipelines/sink.ts'
import { datasets } from '../../schemas/index.ts'
import type { Process } from './process.ts'
import { openedStore } from './store.ts'

const close = (opened: { close(): Promise<void> }) => opened.close()

export async function openSink({ config, lifecycle, log, now, warn, parts }: Process): Promise<void> {
  const store = await lifecycle.open('store', () => openedStore(config, warn), close)
  await store.apply(datasets)
  parts.store = store
  for (const dataset of datasets.filter(({ audience }) => audience !== 'log')) {
    const onProblem = (error: unknown) => warn('sink')(dataset.name, error)
    await lifecycle.run(`sink of ${dataset.name}`, () => startSink({ log, store, dataset, now, onProblem }))
    parts.groups.push({ topic: dataset.topic, group: 'sink' })
  }
}

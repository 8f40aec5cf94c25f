/** A log with the topics of subscriptions, and what a test reads from it. */
import { onTestFinished } from 'vitest'
import type { Log } from '../../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import type { Dataset, Fields, RowOf } from '../../../../schemas/dataset/dataset.ts'
import { datasets } from '../../../../schemas/index.ts'
import { sameLog } from '../../../same-log.ts'
import { scratchFolder } from '../../../scratch.ts'

const topics = datasets.filter(({ name }) => /^(watch|webhook|endpoint)_|^settlements$/.test(name))

export async function openTopics(folder = scratchFolder(), more: readonly Dataset[] = []): Promise<Log> {
  const log = await openLog(`sqlite:${folder}/log.db`, {
    topics: [...topics, ...more].map(({ topic }) => topic),
  })
  onTestFinished(() => log.close())
  return log
}

export const write = <F extends Fields>(log: Log, dataset: Dataset<F>, ...rows: readonly RowOf<F>[]) =>
  log.append(
    dataset.topic,
    rows.map(row => ({ key: dataset.keyOf(row), value: JSON.stringify(dataset.event.parse(row)) })),
  )

/** Everything that the topic holds now. */
export async function rowsOf<F extends Fields>(log: Log, dataset: Dataset<F>): Promise<RowOf<F>[]> {
  const rows: RowOf<F>[] = []
  const watching = await log.watch(dataset.topic, batch => {
    for (const { value } of batch) if (value !== null) rows.push(dataset.event.parse(JSON.parse(value)))
  })
  await watching.caughtUp
  await watching.close()
  return rows
}

/** The same log, with another append. */
export const appendingTo = (log: Log, append: Log['append']): Log => sameLog(log, { append })

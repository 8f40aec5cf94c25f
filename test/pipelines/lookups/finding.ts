/** Lookups over their own log and an upstream on loopback. The test moves the clock. */
import { onTestFinished } from 'vitest'
import type { Lookup } from '../../../pipelines/lookups/lookup.ts'
import type { Waiting } from '../../../pipelines/lookups/runner/clock.ts'
import { type Finder, startLookups } from '../../../pipelines/lookups/runner.ts'
import type { Log } from '../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import type { Outside } from '../../../pipelines/rails/outside/upstreams/outside.ts'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { scratchFolder } from '../../scratch.ts'

export interface Finding {
  finder: Finder
  log: Log
  failed: unknown[]
  /** Closes the lookups and opens them again over the same log, like a restart of the process. */
  restart(): Promise<void>
}

export interface FindingOptions {
  at: Readonly<Record<string, string>>
  datasets: readonly Dataset[]
  now?: () => number
  waiting?: Waiting
  outside?: (signal: AbortSignal) => Outside
}

/** Pauses before a retry end at once, and deadlines never come. */
export const hurried = (now: () => number): Waiting => ({
  now,
  sleep: (ms, signal) =>
    new Promise(resolve => {
      if (ms < 3_000) setImmediate(resolve)
      else signal?.addEventListener('abort', () => resolve(), { once: true })
    }),
})

export async function openFinding(lookups: readonly unknown[], options: FindingOptions): Promise<Finding> {
  const { now = Date.now, at, waiting } = options
  const failed: unknown[] = []
  const log = await openLog(`sqlite:${scratchFolder()}/log.db`, {
    topics: options.datasets.map(({ topic }) => topic),
    now,
  })
  const real = createOutside({ at, contact: 'test', now })
  const open = () =>
    startLookups(lookups as readonly Lookup[], {
      outside: options.outside ?? real,
      now,
      log,
      ...(waiting && { waiting }),
      jitterMs: 0,
      onFailed: (_, error) => failed.push(error),
    })
  const finding: Finding = {
    finder: await open(),
    log,
    failed,
    async restart() {
      await finding.finder.close()
      finding.finder = await open()
    },
  }
  onTestFinished(async () => {
    await finding.finder.close()
    await log.close()
  })
  return finding
}

/** Every origin, in one list. */
import { workers } from '../../pipelines/workers/index.ts'
import type { Worker } from '../../pipelines/workers/worker.ts'
import type { AskingWorker, Origin } from '../offer/origin.ts'
import { attestOrigin } from './attest/origin.ts'
import { chain } from './chain/origin.ts'
import { data } from './data/origin.ts'
import { extract } from './extract/origin.ts'
import { watch } from './watch/origin.ts'
import { web } from './web/origin.ts'

export const origins: readonly Origin[] = [data, chain, web, extract, attestOrigin, watch]

/** All workers. Those of origins come last. */
export const workersOf = (all: readonly Origin[]): readonly (Worker | AskingWorker)[] => [
  ...workers,
  ...all.flatMap(origin => origin.workers ?? []),
]

/** A worker is a part of a role that runs on its own: it moves facts, and no caller waits for it. */
import type { Topic } from '../../schemas/dataset/dataset.ts'
import type { Variables } from '../rails/environment/variables.ts'
import type { Process } from '../rails/process.ts'
import type { Running } from '../rails/running.ts'

/** The topics that it reads and writes, in addition to those that it follows. Without these rights the log refuses. */
export interface Topics {
  reads?: readonly { topic: Topic }[]
  writes?: readonly { topic: Topic }[]
  /** The groups whose progress it commits or reads, in addition to the one that it follows as. */
  groups?: readonly { topic: Topic; group: string }[]
}

export interface Worker extends Topics {
  /** The kind of its work. If there are several of one kind, `name` tells them apart. */
  part: string
  name?: string
  role: 'ingest' | 'sink' | 'meter' | 'render'
  /** The topic that it reads, so that the metrics show its lag. */
  follows?: { topic: Topic; group: string }
  /** The variables of the environment that it reads. */
  variables?: readonly Variables[]
  open(process: Process): Promise<Running> | Running
}

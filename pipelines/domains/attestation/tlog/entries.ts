/** Reads the entries and the heads of one log of attestations out of a batch of records. */
import { attestEntries } from '../../../../schemas/attest-entries.ts'
import { attestHeads } from '../../../../schemas/attest-heads.ts'
import { readEvent } from '../../../../schemas/dataset/dataset.ts'
import type { Received } from '../../../rails/log/log.ts'

export const entriesIn = (batch: readonly Received[], log: string) =>
  batch.flatMap(({ key, value }) => {
    const { event } = key === log ? readEvent(attestEntries, value ?? '') : {}
    return event ?? []
  })

export const headsIn = (batch: readonly Received[], log: string) =>
  batch.flatMap(({ key, value }) => {
    const { event } = key === log ? readEvent(attestHeads, value ?? '') : {}
    return event ?? []
  })

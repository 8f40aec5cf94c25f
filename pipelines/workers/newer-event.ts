/** Events of a newer version: an older sink leaves them, and all after them, to the newer one. */
import type { z } from 'zod'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import type { Received } from '../rails/log/log.ts'

/** A row of an event that this version does not know wholly would not be that fact. */
export class NewerEvent extends Error {
  override name = 'NewerEvent'

  constructor({ topic }: Dataset, { partition, offset }: Received, what: string) {
    super(
      `${topic.name}: the record ${partition}/${offset} has ${what}, which only a newer version knows: upgrade this process`,
    )
  }
}

/** A newer version reads the batch when it has the place of this process. Until then nothing of it is committed. */
export async function leftToNewer<T>(
  find: () => Promise<T>,
  { onNewer, signal }: { onNewer(error: NewerEvent): void; signal: AbortSignal },
): Promise<T> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof NewerEvent)) throw error
    onNewer(error)
    const { promise: replaced, resolve } = Promise.withResolvers<unknown>()
    signal.addEventListener('abort', resolve, { once: true })
    if (!signal.aborted) await replaced
    throw error
  }
}

interface Refused {
  record: Received
  reason: string
  text: string
}

/** Throws if one of them is an event for a newer version, and no reject. */
export async function refuseTheirs(
  dataset: Dataset,
  refused: readonly Refused[],
  newer: () => Promise<readonly z.ZodType[]>,
): Promise<void> {
  if (refused.length === 0) return
  const theirs = await newer()
  const first = refused.find(({ text }) => theirs.some(check => check.safeParse(parsed(text)).success))
  if (first) throw new NewerEvent(dataset, first.record, `(${first.reason})`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Signs the heads of the log of attestations. Exactly one process does it, so that each checkpoint extends the one
 * before.
 */
import { attestEntries } from '../../../schemas/attest-entries.ts'
import { type AttestHead, attestHeads } from '../../../schemas/attest-heads.ts'
import { instant } from '../../../schemas/values/values.ts'
import { LogBook } from '../../domains/attestation/tlog/book.ts'
import { entriesIn, headsIn } from '../../domains/attestation/tlog/entries.ts'
import { type NoteSigner, openCheckpoint, signCheckpoint } from '../../domains/attestation/tlog/note.ts'
import { attestLogVariables } from '../../domains/attestation/variables.ts'
import { entryOf, type Log } from '../../rails/log/log.ts'
import { metrics } from '../../rails/metrics.ts'
import type { Running } from '../../rails/running.ts'
import type { Worker } from '../worker.ts'

export const attestHeadsSigning: Worker = {
  part: 'attest_log',
  role: 'sink',
  variables: [attestLogVariables],
  reads: [attestEntries, attestHeads],
  writes: [attestHeads],
  open({ alone, now, read, onFailed }) {
    const signer = read(attestLogVariables)
    return signer ? alone('attest_log', ({ log }) => sequence({ log, signer, now, onFailed })) : idle
  },
}

/** Without a key there are no attestations. */
const idle: Running = { ended: Promise.resolve(), close: async () => {} }

interface Sequencing {
  log: Pick<Log, 'append' | 'watch'>
  signer: NoteSigner
  now: () => number
  onFailed(name: string, error: unknown): void
}

/**
 * The topic and the log have the same order, so every process computes the same root for the same size. Before it
 * signs, the sequencer compares its own tree with the newest head: if the topic has lost entries, it signs nothing
 * more.
 */
export async function sequence({ log, signer, now, onFailed }: Sequencing): Promise<Running> {
  const { name } = signer
  const book = new LogBook()
  let newest: AttestHead | undefined
  let isBroken = false

  const heads = await log.watch(attestHeads.topic, batch => {
    for (const head of headsIn(batch, name)) if (head.size > (newest?.size ?? -1)) newest = head
  })
  await heads.caughtUp
  const entries = await log.watch(attestEntries.topic, async batch => {
    for (const entry of entriesIn(batch, name)) book.add(entry)
    if (!isBroken) await sign()
    metrics.attestLogUnsigned.set(isBroken ? book.size : Math.max(0, book.size - (newest?.size ?? 0)))
  })

  async function sign(): Promise<void> {
    const { size } = book
    if (newest && size < newest.size) return
    if (newest && book.tree.root(newest.size).toString('hex') !== newest.root) {
      isBroken = true
      onFailed(
        name,
        new Error(`the log of attestations has lost entries: its head of size ${newest.size} fits no more`),
      )
      return
    }
    const isSigned = newest?.size === size && openCheckpoint(newest.checkpoint, signer)
    if (size === 0 || isSigned) return
    const root = book.tree.root()
    const head: AttestHead = {
      log: name,
      size,
      root: root.toString('hex'),
      checkpoint: signCheckpoint({ size, root }, signer),
      at: instant(now()),
    }
    try {
      await log.append(attestHeads.topic, [entryOf(attestHeads, head)])
      newest = head
    } catch (error) {
      // A caller who waits for this head gets an error that the log is away, and the next entry brings another head.
      onFailed(name, error)
    }
  }

  return {
    ended: Promise.all([heads.ended, entries.ended]),
    close: async () => {
      await entries.close()
      await heads.close()
      // The next process that signs reports this number.
      metrics.attestLogUnsigned.remove()
    },
  }
}

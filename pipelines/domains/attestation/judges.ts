/** Judges attestations from strangers in processes of their own: an attestation may have 2 MB, with certificates in it. */
import { Children, TaskBroke, TaskTooLong, TooManyTasks } from '../../rails/children/children.ts'
import { Busy } from '../../rails/outside/browser/browser-failures.ts'
import type { PublicKey } from './keys.ts'
import type { AttestationVerdict } from './verification.ts'

/** Public facts that go along with each question. */
export interface Known {
  keys: readonly PublicKey[]
  /** The keys of the log, each in one line. */
  verifierKeys: readonly string[]
  /** PEM of roots of authorities, in addition to Mozilla's. */
  roots?: string | undefined
}

export interface JudgingQuestion {
  /** The JSON of an attestation, or of an object with a field `attestation`. */
  text: string
  known: Known
}

/** `unfit`: the text cannot be read, with the reason. `none`: it is not an attestation at all. */
export type Judged = { verdict: AttestationVerdict } | { unfit: string } | { none: string }

export interface Judging {
  /** Rejects with Busy if too many wait. */
  judge(text: string): Promise<Judged>
  close(): Promise<void>
}

/** The largest accepted attestation needs a tenth of a second. */
const bounds = { deadlineMs: 3_000, mostMegabytes: 256 }
const queue = { mostWaiting: 64, mostWaitingBytes: 32 << 20 }

export function openJudging(known: Known): Judging {
  const file = new URL('./judge-child.ts', import.meta.url)
  const children = new Children<JudgingQuestion>({ file, children: 2, ...bounds, ...queue })
  return {
    async judge(text) {
      try {
        return (await children.ask({ text, known }, 2 * text.length)) as Judged
      } catch (error) {
        if (error instanceof TooManyTasks) throw new Busy('Too many attestations are being verified', 5)
        if (error instanceof TaskTooLong || error instanceof TaskBroke)
          return { unfit: `It cannot be judged: ${error.message}` }
        throw error
      }
    },
    close: () => children.close(),
  }
}

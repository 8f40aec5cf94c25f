/**
 * The records of one command: what is open now, for whoever interrupts it, and what goes once its answer is printed. An answer
 * that is in memory alone is not had yet.
 */
import type { Keep } from './kept.ts'

export interface KeepWatch {
  keep: Keep
  /** Whether a payment is open. */
  isOpen(): boolean
  /** The answer is printed. */
  printed(): Promise<void>
}

export function watched(keep: Keep): KeepWatch {
  const open = new Set<string>()
  const answered: string[] = []
  const remove = async (name: string, why: 'answered' | 'gone' | 'dead') => {
    await keep.delete(name, why)
    open.delete(name)
  }
  return {
    keep: {
      async get(name) {
        const kept = await keep.get(name)
        if (kept) open.add(name)
        return kept
      },
      async put(name, kept, first) {
        open.add(name)
        return keep.put(name, kept, first)
      },
      async delete(name, why) {
        if (why === 'answered') answered.push(name)
        else await remove(name, why)
      },
    },
    isOpen: () => open.size > 0,
    async printed() {
      for (const name of answered.splice(0)) await remove(name, 'answered')
    },
  }
}

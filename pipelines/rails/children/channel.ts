/**
 * What a child writes into its channel is read by a callback of Node. What is no message throws there, where nobody catches it, and so would
 * end the process that reads: ours.
 */
import type { ChildProcess } from 'node:child_process'

/** Node's own handle of the channel. It has no public name. */
interface Handle {
  onread: (...given: unknown[]) => unknown
}

const isHandle = (value: unknown): value is Handle =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Handle>).onread === 'function'

/** `hear` is told once what cannot be read. */
export function whereUnreadable(child: ChildProcess, hear: () => void): void {
  const own = child as unknown as Record<symbol, unknown>
  const handle = Object.getOwnPropertySymbols(child)
    .map(name => own[name])
    .find(isHandle)
  if (!handle) throw new Error('the channel of a child is at another place in this version of Node')
  const { onread } = handle
  handle.onread = function (...given) {
    try {
      return onread.apply(this, given)
    } catch {
      hear()
    }
  }
}

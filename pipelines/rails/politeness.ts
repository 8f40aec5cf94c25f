/** Where a sale and a process of ours both want the processor, the sale comes first. */
import { getPriority, setPriority } from 'node:os'

/**
 * Of a process that has just begun: what it starts inherits it. 10 for what can wait; 5 for what a caller waits for, which
 * then has a third of a processor that is in full use.
 */
export function bePolite(politeness: 5 | 10, pid = process.pid): void {
  if (getPriority() < politeness) setPriority(pid, politeness)
}

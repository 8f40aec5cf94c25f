/** Where a sale and a process of ours both want the processor, the sale comes first. */
import { getPriority, setPriority } from 'node:os'

/**
 * Lowers the priority of a process that has just begun. What it starts inherits the priority. 10: the work can wait. 5: a
 * caller waits for it, and it gets a third of a busy processor.
 */
export function bePolite(politeness: 5 | 10, pid = process.pid): void {
  if (getPriority() < politeness) setPriority(pid, politeness)
}

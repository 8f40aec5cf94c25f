/** Reads reports in a process of its own: the filer writes them, and some rules take the square of the length of a line. */
import { Children, TaskBroke, TaskTooLong, TooManyTasks } from '../../../rails/children/children.ts'
import type { Documents, EventTold } from './report-facts.ts'
import type { Report } from './summary.ts'
import type { TellingQuestion } from './told-child.ts'

const children = new Children<TellingQuestion>({
  file: new URL('./told-child.ts', import.meta.url),
  children: 1,
  deadlineMs: 10_000,
  mostMegabytes: 512,
  mostWaiting: 64,
  mostWaitingBytes: 256 << 20,
})

/** Undefined if it cannot be read within these bounds. */
export async function toldApart(report: Report, documents: Documents): Promise<EventTold | undefined> {
  const { document = '', release = '' } = documents
  try {
    return (await children.ask({ report, documents }, 2 * (document.length + release.length))) as EventTold
  } catch (error) {
    if (error instanceof TaskTooLong || error instanceof TaskBroke || error instanceof TooManyTasks)
      return undefined
    throw error
  }
}

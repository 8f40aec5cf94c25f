import { busyness } from './busyness.ts'

/**
 * Waits for a condition. If it never comes, the error names it. The time-out is for an idle machine: on a busy one it
 * grows as much as work slows down.
 */
export async function until(
  condition: () => unknown | Promise<unknown>,
  what = 'the condition',
  timeoutMs = 20_000,
): Promise<void> {
  const startedAt = performance.now()
  let patienceMs = timeoutMs
  while (!(await condition())) {
    const waitedMs = performance.now() - startedAt
    if (waitedMs > patienceMs) patienceMs = timeoutMs * busyness()
    if (waitedMs > patienceMs) throw new Error(`waited ${Math.round(waitedMs)} ms in vain for ${what}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

import { busyness } from './busyness.ts'

/**
 * Waits for a condition; fails with what was awaited when it never comes. The time is that of a machine of its own: on a
 * busy one the wait is as many times longer as work is.
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

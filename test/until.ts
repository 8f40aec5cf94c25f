/** Waits for a condition; fails with what was awaited when it never comes. */
export async function until(
  condition: () => unknown | Promise<unknown>,
  what = 'the condition',
  timeoutMs = 20_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

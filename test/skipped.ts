/** Prints at the end which tests were skipped, and why. The reason comes from the skip, or from the name of the test. */
import type { Reporter, TestCase } from 'vitest/node'

function reasonOf(test: TestCase): string {
  const result = test.result()
  const [suite] = test.fullName.split(' > ')
  return (result.state === 'skipped' && result.note) || (suite as string)
}

export const skipped: Reporter = {
  onTestRunEnd(modules) {
    const reasons = modules.flatMap(module => [...module.children.allTests('skipped')].map(reasonOf))
    for (const [reason, { length }] of Map.groupBy(reasons, reason => reason))
      console.log(`     Skipped  ${length} test${length > 1 ? 's' : ''}: ${reason}`)
  },
}

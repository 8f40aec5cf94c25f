import { resolve } from 'node:path'
import { mergeConfig } from 'vitest/config'
import usual from '../../vitest.config.ts'

/** The named tests in one worker, up to the first that fails, over a file that is changed as it is loaded. */
const { projects: _, ...test } = usual.test ?? {}
export default mergeConfig(
  { test },
  {
    test: {
      include: (process.env.MUTANT_TESTS ?? '').split(','),
      exclude: ['test/**/*.process.test.ts'],
      setupFiles: 'test/compile-cache.ts',
      execArgv: ['--import', resolve('test/mutants/load.ts')],
      // A mutant may wait for ever, and then it is noticed, too.
      ...{ bail: 1, maxWorkers: 1, testTimeout: 45_000, hookTimeout: 45_000, reporters: ['dot'] },
    },
  },
)

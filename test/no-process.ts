/** Forbids processes in unit tests, so that they stay quick. A test that starts one, or takes ten seconds, is a `.process.test.ts`. */
import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { expect } from 'vitest'

for (const start of ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const)
  childProcess[start] = (() => {
    const { testPath = '' } = expect.getState()
    throw new Error(
      `${testPath} starts a process: call it ${testPath.replace('.test.ts', '.process.test.ts')}`,
    )
  }) as never
syncBuiltinESMExports()

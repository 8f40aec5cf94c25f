import { defineConfig } from 'vitest/config'
import { busyness } from './test/busyness.ts'
import { LongestFirst } from './test/longest-first.ts'
import { skipped } from './test/skipped.ts'

// What a worker has compiled once, the next one and every process that a test starts read back.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node'

// Each wait of a test ends by what must happen (test/until.ts). This clock ends only what hangs.
const hangMs = 300_000 * busyness()

export default defineConfig({
  test: {
    reporters: ['default', skipped],
    testTimeout: hangMs,
    hookTimeout: hangMs,
    pool: 'forks',
    // The modules of a worker stay loaded from file to file: loading them was half of the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Node itself loads the files, as it does in production; nothing is bundled or transformed before.
    experimental: { viteModuleRunner: false },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.process.test.ts'],
          setupFiles: ['test/compile-cache.ts', 'test/no-process.ts'],
          // Clocks and payments that must expire are waited for a quarter of the time, so one more runs than there are cores.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: ['test/**/*.process.test.ts'],
          setupFiles: 'test/compile-cache.ts',
          // And these for their processes, a third of it.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})

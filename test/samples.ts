import { test } from 'vitest'

/** A test on bodies recorded from the live upstreams. They are not in the repository: without them it is skipped, and says why. */
export const testRecorded = test.extend<{ samples: string }>({
  samples: async ({ skip }, use) => {
    const folder = process.env.RECORDED_SAMPLES
    if (!folder) return skip('RECORDED_SAMPLES is unset')
    await use(folder)
  },
})

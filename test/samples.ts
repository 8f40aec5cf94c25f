import { test } from 'vitest'

/** A test on bodies recorded from the live upstreams. They are not in the repository. Without them it skips and says so. */
export const testRecorded = test.extend<{ samples: string }>({
  samples: async ({ skip }, use) => {
    const folder = process.env.RECORDED_SAMPLES
    if (!folder) return skip('RECORDED_SAMPLES is unset')
    await use(folder)
  },
})

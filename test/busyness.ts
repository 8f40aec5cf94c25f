const sampleMs = 20

/** How many times longer work takes here and now than on a machine of its own: its time by the clock over its time on the processor. */
export function busyness(): number {
  const startedAt = performance.now()
  const before = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(before)
    const workedMs = (user + system) / 1000
    if (workedMs >= sampleMs) return Math.max(1, (performance.now() - startedAt) / workedMs)
  }
}

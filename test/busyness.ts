const sampleMs = 20

/** How many times longer work takes now than on an idle machine: its wall time over its processor time. */
export function busyness(): number {
  const startedAt = performance.now()
  const before = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(before)
    const workedMs = (user + system) / 1000
    if (workedMs >= sampleMs) return Math.max(1, (performance.now() - startedAt) / workedMs)
  }
}

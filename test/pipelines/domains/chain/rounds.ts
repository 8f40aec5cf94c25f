/** Counts the calls and the rounds that some work makes at nodes. Calls at the same time are one round. */
export async function asked(work: () => Promise<unknown>): Promise<{ calls: number; rounds: number }> {
  const real = globalThis.fetch
  const count = { calls: 0, rounds: 0 }
  let underWay = 0
  globalThis.fetch = async (...request) => {
    count.calls++
    if (underWay++ === 0) count.rounds++
    try {
      return await real(...request)
    } finally {
      underWay--
    }
  }
  try {
    await work()
  } finally {
    globalThis.fetch = real
  }
  return count
}

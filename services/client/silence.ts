/** Tells a person that nothing has been heard yet. Some answers take long, so the wait goes on. */

const silentMs = 10_000

export function tellingOfSilence(send: typeof fetch): typeof fetch {
  let isTold = false
  return async (address, request) => {
    const timer = setTimeout(() => {
      if (isTold) return
      isTold = true
      const { host } = new URL(String(address))
      console.error(
        `${host} has said nothing for ${silentMs / 1000} seconds. It is waited for (--patience says how long)`,
      )
    }, silentMs)
    try {
      return await send(address, request)
    } finally {
      clearTimeout(timer)
    }
  }
}

/**
 * Makes a clock that never runs backwards, even if somebody sets the system clock back. It has no date: it is for
 * rates and waiting. After a system clock was an hour ahead, nobody must wait for an hour.
 */
export function steady(now: () => number): () => number {
  let last = now()
  let passedMs = 0
  return () => {
    const at = now()
    if (at > last) passedMs += at - last
    last = at
    return passedMs
  }
}

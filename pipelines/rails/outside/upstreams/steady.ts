/**
 * Makes a clock that never runs backwards out of one that somebody may turn back. It has no date: it is for rates and for
 * waiting. A clock that was an hour ahead must not shut everybody out for an hour.
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

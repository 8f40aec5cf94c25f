/** How long a silent facilitator is waited for where another one may be asked. To verify moves no money, so any verdict will do. */
import type { Candidate } from './candidate.ts'
import type { VerifyReply } from './reply.ts'

/** After this silence a facilitator is asked whether it is there, and the next one is asked to verify as well. */
const silenceMs = 700

interface Asking {
  /** Never rejects. */
  ask(candidate: Candidate, timeoutMs: number): Promise<VerifyReply>
  /** It has said nothing for a while, and another one is asked beside it. */
  onSilent(candidate: Candidate): void
}

/** Resolves with the first yes or no. */
export function anyVerdict(
  candidates: readonly Candidate[],
  { ask, onSilent }: Asking,
  totalMs: number,
): Promise<VerifyReply> {
  const { promise, resolve } = Promise.withResolvers<VerifyReply>()
  const endsAt = performance.now() + totalMs
  const [...waiting] = candidates
  let open = 0
  let timer: NodeJS.Timeout | undefined

  function begin(): void {
    clearTimeout(timer)
    const candidate = waiting.shift()
    if (!candidate) return
    open++
    if (waiting.length > 0)
      timer = setTimeout(() => {
        onSilent(candidate)
        begin()
      }, silenceMs)
    void ask(candidate, Math.max(0, endsAt - performance.now())).then(hear)
  }

  function hear(reply: VerifyReply): void {
    open--
    if (reply.outcome === 'unavailable') {
      begin()
      if (open > 0) return
    }
    clearTimeout(timer)
    resolve(reply)
  }

  begin()
  if (open === 0) resolve({ outcome: 'unavailable', reason: 'nobody_asked' })
  return promise
}

/** Undefined if the facilitator says nothing to this call, nor to the question whether it is there, or once it is known to be silent or slow. */
export async function orSilent<T>(
  call: Promise<T>,
  isSilent: () => Promise<boolean>,
  onLeft: (end: () => void) => () => void,
): Promise<T | undefined> {
  const silent = Promise.withResolvers<undefined>()
  const forget = onLeft(() => silent.resolve(undefined))
  const timer = setTimeout(async () => {
    if (await isSilent()) silent.resolve(undefined)
  }, silenceMs)
  try {
    return await Promise.race([call, silent.promise])
  } finally {
    clearTimeout(timer)
    forget()
  }
}

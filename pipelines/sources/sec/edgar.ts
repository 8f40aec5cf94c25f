/** Asks EDGAR for a document that may not exist. */
import type { Answer, Outside, UpstreamRequest } from '../../rails/outside/upstreams/outside.ts'
import type { Upstream } from '../../rails/outside/upstreams/upstream.ts'
import { isMissing } from './upstream.ts'

export interface EdgarAsking extends Omit<UpstreamRequest, 'proof' | 'secret'> {
  /** The status with which EDGAR reports a missing document. */
  missing?: number
}

const timeoutMs = 30_000

/** Undefined if EDGAR has no such document. */
export async function askEdgar(
  outside: Outside,
  upstream: Upstream,
  path: string,
  { missing, ...request }: EdgarAsking = {},
): Promise<Answer | undefined> {
  const isAbsent = ({ status, text }: Answer) =>
    status >= 400 && (status === missing || isMissing(status, text()))
  const isThere = ({ status }: Answer) => status >= 200 && status < 300
  const proof = (answer: Answer) => isThere(answer) || isAbsent(answer)
  const answer = await outside.get(upstream, path, { timeoutMs, ...request, proof })
  return isAbsent(answer) ? undefined : answer
}

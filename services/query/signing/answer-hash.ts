/** The digest of an answer in its receipt. A long answer is read in a process of its own, so that no other call waits for it. */
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { Children } from '../../../pipelines/rails/children/children.ts'

/** Hashes canonical JSON (RFC 8785), so the hash is the same after a client has parsed and rewritten it. */
export const hashOf = (value: unknown): string =>
  `0x${createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest('hex')}`

/** An answer without its receipt, because a replay has another receipt. */
export const bareAnswer = ({ receipt: _, ...answer }: Record<string, unknown>): object => answer

/** Throws where it has no canonical form, such as half of a surrogate pair. */
export const hashOfAnswer = (body: string): string => hashOf(bareAnswer(JSON.parse(body)))

/** Of this size, the slowest answer takes about three milliseconds. */
const mostHere = 64 << 10
const bounds = { children: 2, deadlineMs: 10_000, mostMegabytes: 512 }
const queue = { mostWaiting: 64, mostWaitingBytes: 64 << 20 }
const hashers = new Children<string>({ file: new URL('hash-child.ts', import.meta.url), ...bounds, ...queue })

/** Rejects where it has no canonical form, or takes too much to be read. */
export const answerHash = (body: string): string | Promise<string> =>
  body.length <= mostHere ? hashOfAnswer(body) : (hashers.ask(body, body.length) as Promise<string>)

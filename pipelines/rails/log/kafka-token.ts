/**
 * Tokens for Kafka, by OAuth's client credentials. A token is kept until shortly before it expires. After a failure
 * the endpoint gets a pause.
 */
import { BrokerRefusal } from './kafka-refusal.ts'

interface TokenOptions {
  url: string
  id: string
  secret: string
  scope?: string | undefined
}

const timeoutMs = 5000
/** After a failure the endpoint is not asked again for this time. The pause doubles. */
const firstPauseMs = 1000
const longestPauseMs = 60_000
const largestReply = 64 << 10
/** The assumed life of a token if the endpoint does not state it. */
const unknownLifeMs = 60_000

export function bearerTokens({ url, id, secret, scope }: TokenOptions): () => Promise<string> {
  const clock = () => performance.now()
  let kept: { token: string; renewAt: number } | undefined
  let failed: { error: Error; until: number; pauseMs: number } | undefined
  let asking: Promise<string> | undefined

  async function asked(): Promise<string> {
    try {
      const { token, lifeMs } = await ask()
      kept = { token, renewAt: clock() + 0.8 * lifeMs }
      failed = undefined
      return token
    } catch (problem) {
      const pauseMs = Math.min(longestPauseMs, failed ? 2 * failed.pauseMs : firstPauseMs)
      // The error of a request may quote the secret, so only our own words are passed on.
      const isSaid = problem instanceof NoToken
      const why = `no token for Kafka from ${new URL(url).host}: ${isSaid ? problem.message : (problem as Error).name}`
      const error =
        isSaid && problem.isFinal ? new BrokerRefusal(`${why}; see LOG_TOKEN_URL`) : new Error(why)
      failed = { error, until: clock() + pauseMs, pauseMs }
      throw error
    }
  }

  async function ask(): Promise<{ token: string; lifeMs: number }> {
    const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) })
    // RFC 6749 encodes both before they are joined.
    const login = [id, secret].map(encodeURIComponent).join(':')
    const reply = await fetch(url, {
      method: 'POST',
      body: form,
      headers: {
        authorization: `Basic ${Buffer.from(login).toString('base64')}`,
        accept: 'application/json',
      },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!reply.ok) throw new NoToken(`it answers ${reply.status}`, reply.status < 500)
    const { access_token: token, expires_in: seconds } = JSON.parse(await shortText(reply)) as Record<
      string,
      unknown
    >
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
      throw new NoToken('its answer holds no token')
    const life = Number(seconds)
    return { token, lifeMs: life > 0 ? life * 1000 : unknownLifeMs }
  }

  return () => {
    if (kept && clock() < kept.renewAt) return Promise.resolve(kept.token)
    if (failed && clock() < failed.until) return Promise.reject(failed.error)
    asking ??= asked().finally(() => {
      asking = undefined
    })
    return asking
  }
}

class NoToken extends Error {
  /** Whether the next try would fail in the same way. */
  readonly isFinal: boolean
  constructor(why: string, isFinal = false) {
    super(why)
    this.isFinal = isFinal
  }
}

async function shortText(reply: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of reply.body ?? []) {
    length += part.length
    if (length > largestReply) throw new NoToken(`its answer is longer than ${largestReply} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

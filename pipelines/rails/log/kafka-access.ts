/** How a process reaches Kafka. Every connection uses this. */
import { createSecureContext, type SecureContext } from 'node:tls'
import type { SASLOptions } from 'kafkajs'
import { bearerTokens } from './kafka-token.ts'
import type { LogAddress, LogCredentials, SaslMechanism } from './log-address.ts'

export interface KafkaAccess {
  brokers: readonly string[]
  ssl?: { secureContext: SecureContext; minVersion: 'TLSv1.2' }
  sasl?: SASLOptions
  /** Rejects if it cannot get a token. Absent if none is needed. */
  token?: () => Promise<string>
}

export function kafkaAccess(
  { brokers, tls, sasl, extensions }: Exclude<LogAddress, { file: string }>,
  credentials: LogCredentials,
): KafkaAccess {
  return {
    brokers,
    ...(tls && { ssl: { secureContext: secureContextOf(credentials), minVersion: 'TLSv1.2' } as const }),
    ...(sasl && loginOf(sasl, extensions, credentials)),
  }
}

/** Throws if certificate or key is invalid, or if they do not belong together. */
export const secureContextOf = ({ ca, cert, key }: LogCredentials): SecureContext =>
  createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
  })

function loginOf(
  mechanism: SaslMechanism,
  extensions: Readonly<Record<string, string>>,
  { username, password, tokenUrl, tokenScope }: LogCredentials,
): Pick<KafkaAccess, 'sasl' | 'token'> {
  if (username === undefined || password === undefined)
    throw new Error(`${mechanism} needs a name and a secret`)
  if (mechanism !== 'oauthbearer') return { sasl: { mechanism, username, password } }
  if (tokenUrl === undefined) throw new Error('oauthbearer needs a token endpoint')
  const token = bearerTokens({ url: tokenUrl, id: username, secret: password, scope: tokenScope })
  // kafkajs sends the extensions, but its types do not declare them.
  const oauthBearerProvider = async () => ({ value: await token(), extensions: { ...extensions } })
  return { sasl: { mechanism, oauthBearerProvider }, token }
}

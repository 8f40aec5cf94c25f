/** The address of a log, and the credentials for it. */
const saslMechanisms = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'] as const
export type SaslMechanism = (typeof saslMechanisms)[number]

export interface LogCredentials {
  username?: string | undefined
  password?: string | undefined
  /** PEM. If absent, Node's own list of authorities. */
  ca?: string | undefined
  /** PEM: the certificate of this client, for brokers that ask for one. */
  cert?: string | undefined
  key?: string | undefined
  /** The endpoint that gives tokens for name and password, by OAuth's client credentials. */
  tokenUrl?: string | undefined
  tokenScope?: string | undefined
}

/** The address of a log, with credentials if it needs any. */
export type LogAt = string | { url: string; credentials: LogCredentials }

export type LogAddress =
  | { file: string }
  | {
      file?: undefined
      brokers: readonly string[]
      tls: boolean
      sasl: SaslMechanism | undefined
      /** What a managed Kafka needs in addition to a token. */
      extensions: Readonly<Record<string, string>>
    }

export const logForms = `sqlite:<file> or kafka://host:port,host:port, with TLS kafka+tls://, with a login ?sasl=${saslMechanisms.join('|')}`

/** Undefined if the text is not the address of a log. */
export function readLogAddress(url: string): LogAddress | undefined {
  const [, file] = /^sqlite:(.+)$/s.exec(url) ?? []
  if (file !== undefined) return { file }
  const [, tls, list = '', query = ''] = /^kafka(\+tls)?:\/\/([^/?#\s]+)(?:\?([^#\s]*))?$/.exec(url) ?? []
  const brokers = list.split(',')
  if (!brokers.every(broker => /^[^:@]+:\d{1,5}$/.test(broker))) return undefined
  const { sasl, ...extensions } = Object.fromEntries(new URLSearchParams(query))
  if (sasl !== undefined && !(saslMechanisms as readonly string[]).includes(sasl)) return undefined
  // RFC 7628: only a token has extensions, and their names consist of letters. "auth" is the token itself.
  const names = Object.keys(extensions)
  if (names.length && sasl !== 'oauthbearer') return undefined
  if (!names.every(name => /^[A-Za-z]+$/.test(name) && name !== 'auth')) return undefined
  return { brokers, tls: tls !== undefined, sasl: sasl as SaslMechanism | undefined, extensions }
}

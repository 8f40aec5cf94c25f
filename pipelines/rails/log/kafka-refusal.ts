/** Tells a wrong setting from a broker that is away: a wrong name, secret or certificate stays wrong at the next try. */
/** A broker has answered, and will never accept this process. */
export class BrokerRefusal extends Error {}

interface Problem {
  name?: string
  type?: string
  code?: string
  cause?: unknown
}

/** The error codes of OpenSSL for a broker certificate that is not trusted. */
const untrusted =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_|ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/

/** Undefined if the next try may succeed. */
export function refusalOf(address: string, error: unknown, login = 'no login'): BrokerRefusal | undefined {
  for (let each = error as Problem | undefined; each; each = each.cause as Problem | undefined) {
    if (each instanceof BrokerRefusal) return each
    const { name, type = '', code = '' } = each
    if (untrusted.test(code))
      return new BrokerRefusal(`the certificate of Kafka at ${address} is not trusted: ${code}; see LOG_CA`)
    if (/^ERR_SSL_.*(ALERT|CERTIFICATE)/.test(code))
      return new BrokerRefusal(
        `Kafka at ${address} refuses our certificate: ${code}; see LOG_CERT and LOG_KEY`,
      )
    if (name === 'KafkaJSSASLAuthenticationError')
      return new BrokerRefusal(`Kafka at ${address} refuses LOG_USERNAME with LOG_PASSWORD by ${login}`)
    if (
      type === 'SASL_AUTHENTICATION_FAILED' ||
      type === 'UNSUPPORTED_SASL_MECHANISM' ||
      type === 'ILLEGAL_SASL_STATE'
    )
      return new BrokerRefusal(`Kafka at ${address} refuses the login: ${type}; see LOG_URL`)
  }
  return undefined
}

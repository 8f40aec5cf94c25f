/** The variables for the address of the log and its credentials. */
import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { contentOf, httpUrl, pemFile } from '../environment/kinds.ts'
import { ConfigError, defineVariables, together } from '../environment/variables.ts'
import { secureContextOf } from './kafka-access.ts'
import { type LogAt, logForms, readLogAddress } from './log-address.ts'

const shape = {
  LOG_URL: z
    .string()
    .refine(text => readLogAddress(text) !== undefined, logForms)
    .optional()
    .describe(
      'or `kafka://host:port,host:port`, with TLS `kafka+tls://`, with a login `?sasl=plain`, `scram-sha-256`, `scram-sha-512` or `oauthbearer`: [Kafka with TLS and a login](#kafka-with-tls-and-a-login)',
    ),
  LOG_USERNAME: z
    .string()
    .min(1, 'the name of this process in Kafka')
    .optional()
    .describe('the name of this process in Kafka, with `sasl`; with `oauthbearer` the id of a client'),
  LOG_PASSWORD: z.string().min(1, 'the secret of LOG_USERNAME').optional().describe('its secret'),
  LOG_CA: pemFile.describe(
    'a file in PEM with the authorities that sign the certificates of the brokers; those that Node knows if unset',
  ),
  LOG_CERT: pemFile.describe('a file in PEM with the certificate of this process, where Kafka asks for one'),
  LOG_KEY: pemFile.describe('a file in PEM with its key'),
  LOG_TOKEN_URL: httpUrl('the endpoint of an OAuth server that gives tokens')
    .optional()
    .describe(
      'the endpoint that gives tokens for `LOG_USERNAME` and `LOG_PASSWORD`; required with `oauthbearer`',
    ),
  LOG_TOKEN_SCOPE: z
    .string()
    .min(1, 'a scope of OAuth')
    .optional()
    .describe('the scope of these tokens, where the server wants one'),
}
type Values = z.output<z.ZodObject<typeof shape>>

export const logVariables = defineVariables(shape, (values, { dataDir }): LogAt => {
  const { LOG_URL: url = sqliteIn(dataDir), LOG_USERNAME: username, LOG_PASSWORD: password } = values
  const { sasl, tls } = { sasl: undefined, tls: false, ...readLogAddress(url) }
  checkLogin(values, sasl)
  for (const name of ['LOG_CA', 'LOG_CERT', 'LOG_KEY'] as const)
    if (values[name] && !tls)
      throw new ConfigError(`${name} is set; LOG_URL should begin with kafka+tls:// then`)
  together(values, 'LOG_CERT', 'LOG_KEY')
  const [ca, cert, key] = [
    certificates('LOG_CA', values),
    certificates('LOG_CERT', values),
    contentOf('LOG_KEY', values.LOG_KEY),
  ]
  try {
    if (tls) secureContextOf({ ca, cert, key })
  } catch (error) {
    throw new ConfigError(
      `LOG_KEY is ${values.LOG_KEY}; it should hold the key of LOG_CERT in PEM, without a password: ${(error as NodeJS.ErrnoException).code}`,
    )
  }
  const { LOG_TOKEN_URL: tokenUrl, LOG_TOKEN_SCOPE: tokenScope } = values
  return { url, credentials: { username, password, ca, cert, key, tokenUrl, tokenScope } }
})

/** Where the log is while LOG_URL is unset. */
export const sqliteIn = (dataDir: string): string => `sqlite:${dataDir}/log.db`

function checkLogin(values: Values, sasl: string | undefined): void {
  for (const name of ['LOG_USERNAME', 'LOG_PASSWORD'] as const) {
    if (sasl && !values[name])
      throw new ConfigError(`${name} is unset; it should be set while LOG_URL has sasl=${sasl}`)
    if (!sasl && values[name])
      throw new ConfigError(`${name} is set; LOG_URL should name the way, such as ?sasl=plain`)
  }
  const wantsTokens = sasl === 'oauthbearer'
  if (wantsTokens && !values.LOG_TOKEN_URL)
    throw new ConfigError('LOG_TOKEN_URL is unset; it should be set while LOG_URL has sasl=oauthbearer')
  for (const name of ['LOG_TOKEN_URL', 'LOG_TOKEN_SCOPE'] as const)
    if (values[name] && !wantsTokens)
      throw new ConfigError(`${name} is set; LOG_URL should have ?sasl=oauthbearer then`)
}

/** The first certificate must be valid now: an expired authority signs nothing, and an expired client is refused. */
function certificates(name: 'LOG_CA' | 'LOG_CERT', values: Values): string | undefined {
  const text = contentOf(name, values[name])
  if (text === undefined) return undefined
  const file = values[name]
  let validTo: string
  try {
    validTo = new X509Certificate(text).validTo
  } catch {
    throw new ConfigError(`${name} is ${file}; the file should hold certificates in PEM`)
  }
  if (Date.parse(validTo) < Date.now())
    throw new ConfigError(`${name} is ${file}; its certificate should be valid, and ended on ${validTo}`)
  return text
}

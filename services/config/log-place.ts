/** Where the log of this process is, with what it shows there. Everything is checked before anything opens. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { secureContextOf } from '../../pipelines/rails/log/kafka-access.ts'
import { type LogAt, readLogAddress } from '../../pipelines/rails/log/log-address.ts'
import { type Config, ConfigError } from './config.ts'

type OfLog = Pick<
  Config,
  | 'LOG_URL'
  | 'LOG_USERNAME'
  | 'LOG_PASSWORD'
  | 'LOG_CA'
  | 'LOG_CERT'
  | 'LOG_KEY'
  | 'LOG_TOKEN_URL'
  | 'LOG_TOKEN_SCOPE'
>

export function logPlace(config: OfLog): LogAt {
  const { LOG_URL: url, LOG_USERNAME: username, LOG_PASSWORD: password } = config
  const address = readLogAddress(url)
  const { sasl, tls } = { sasl: undefined, tls: false, ...address }
  checkLogin(config, sasl)
  for (const name of ['LOG_CA', 'LOG_CERT', 'LOG_KEY'] as const)
    if (config[name] && !tls)
      throw new ConfigError(`${name} is set; LOG_URL should begin with kafka+tls:// then`)
  if (Boolean(config.LOG_CERT) !== Boolean(config.LOG_KEY))
    throw new ConfigError(
      `${config.LOG_CERT ? 'LOG_KEY' : 'LOG_CERT'} is unset; LOG_CERT and LOG_KEY should be set together`,
    )
  const [ca, cert, key] = [
    certificates('LOG_CA', config),
    certificates('LOG_CERT', config),
    content('LOG_KEY', config),
  ]
  try {
    if (tls) secureContextOf({ ca, cert, key })
  } catch (error) {
    throw new ConfigError(
      `LOG_KEY is ${config.LOG_KEY}; it should hold the key of LOG_CERT in PEM, without a password: ${(error as NodeJS.ErrnoException).code}`,
    )
  }
  const { LOG_TOKEN_URL: tokenUrl, LOG_TOKEN_SCOPE: tokenScope } = config
  return { url, credentials: { username, password, ca, cert, key, tokenUrl, tokenScope } }
}

function checkLogin(config: OfLog, sasl: string | undefined): void {
  for (const name of ['LOG_USERNAME', 'LOG_PASSWORD'] as const) {
    if (sasl && !config[name])
      throw new ConfigError(`${name} is unset; it should be set while LOG_URL has sasl=${sasl}`)
    if (!sasl && config[name])
      throw new ConfigError(`${name} is set; LOG_URL should name the way, such as ?sasl=plain`)
  }
  const wantsTokens = sasl === 'oauthbearer'
  if (wantsTokens && !config.LOG_TOKEN_URL)
    throw new ConfigError('LOG_TOKEN_URL is unset; it should be set while LOG_URL has sasl=oauthbearer')
  for (const name of ['LOG_TOKEN_URL', 'LOG_TOKEN_SCOPE'] as const)
    if (config[name] && !wantsTokens)
      throw new ConfigError(`${name} is set; LOG_URL should have ?sasl=oauthbearer then`)
}

/** The first one must be valid now: an authority that has ended signs nothing, and a client that has ended is refused. */
function certificates(name: 'LOG_CA' | 'LOG_CERT', config: OfLog): string | undefined {
  const text = content(name, config)
  if (text === undefined) return undefined
  const file = config[name]
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

function content(name: 'LOG_CA' | 'LOG_CERT' | 'LOG_KEY', config: OfLog): string | undefined {
  const file = config[name]
  if (file === undefined) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(
      `${name} is ${file}; it should be a file that can be read: ${(error as NodeJS.ErrnoException).code}`,
    )
  }
}

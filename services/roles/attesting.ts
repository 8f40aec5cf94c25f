/** What the environment says of attestations. It is checked before anything opens. */
import { readFileSync } from 'node:fs'
import manifest from '../../package.json' with { type: 'json' }
import type { AttestKeys } from '../../pipelines/domains/attestation/attesting.ts'
import { areCertificates } from '../../pipelines/domains/attestation/stamping/trust.ts'
import { type NoteSigner, noteSigner } from '../../pipelines/domains/attestation/tlog/note.ts'
import { type Config, ConfigError } from '../config/config.ts'

export interface AttestConfig {
  /** Signs the heads of the log: the only thing that a process without the query role needs. */
  logSigner: NoteSigner
  keys: AttestKeys | undefined
}

/** Undefined where nobody attests. */
export function attestConfig(config: Config): AttestConfig | undefined {
  const key = keyOf(config)
  const [logKey, ...formerLogKeys] = config.ATTEST_LOG_KEY ?? []
  if (config.ROLES.includes('query') && (key === undefined) !== (logKey === undefined))
    throw new ConfigError(
      `${key ? 'ATTEST_LOG_KEY' : 'ATTEST_KEY'} is unset; ATTEST_KEY or ATTEST_KEY_FILE should be set together with ATTEST_LOG_KEY`,
    )
  const { TSA_URLS: authorities, TSA_REQUIRED: required = Math.min(1, authorities.length) } = config
  if (required > authorities.length)
    throw new ConfigError(`TSA_REQUIRED is ${required}; TSA_URLS should have as many addresses`)
  const roots = rootsOf(config)
  if (logKey === undefined) return undefined
  const logSigner = noteSigner(logNameOf(config), logKey)
  const verifiers: AttestKeys['verifiers'] = [
    logSigner,
    ...formerLogKeys.map(each => noteSigner(logSigner.name, each)),
  ]
  const observer = `farebox/${manifest.version}`
  return {
    logSigner,
    keys: key
      ? { key, former: config.ATTEST_KEYS, verifiers, authorities, required, roots, observer }
      : undefined,
  }
}

/** The log has the name of its host for ever. Under another host begins another log. */
function logNameOf({ origins, PUBLIC_URL }: Config): string {
  const url = origins.find(({ name }) => name === 'attest')?.url ?? PUBLIC_URL
  return `farebox/${new URL(url).host}`
}

function keyOf({ ATTEST_KEY, ATTEST_KEY_FILE: file }: Config): string | undefined {
  if (file === undefined) return ATTEST_KEY
  if (ATTEST_KEY) throw new ConfigError('ATTEST_KEY and ATTEST_KEY_FILE are set; it should be one of them')
  const key = contentOf('ATTEST_KEY_FILE', file).trim()
  if (!/^0x[0-9a-fA-F]{64}$/.test(key))
    throw new ConfigError(`ATTEST_KEY_FILE is ${file}; the file should hold a key of 0x and 64 hex digits`)
  return key
}

function rootsOf({ TSA_ROOTS: file }: Config): string | undefined {
  if (file === undefined) return undefined
  const roots = contentOf('TSA_ROOTS', file)
  if (!areCertificates(roots))
    throw new ConfigError(`TSA_ROOTS is ${file}; the file should hold certificates in PEM`)
  return roots
}

function contentOf(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(
      `${variable} is ${file}; it should be a file that can be read: ${(error as NodeJS.ErrnoException).code}`,
    )
  }
}

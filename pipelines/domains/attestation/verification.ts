/** Checks an attestation against nothing but public keys: no log, no store, no network. */
import { isDeepStrictEqual } from 'node:util'
import { whatIsWrong } from '../../../schemas/dataset/dataset.ts'
import { instant } from '../../../schemas/values/values.ts'
import { sha256 } from '../../rails/signing/sha256.ts'
import { Attestation, mostApartMs, noAuthority, signatureForm, type TimeStamp } from './attestation.ts'
import { type AttestationCheck, check } from './check.ts'
import { evidenceChecks } from './evidence.ts'
import { type PublicKey, whyNot } from './keys.ts'
import { signerOfStatement } from './signature.ts'
import { BadToken, readToken } from './stamps/token.ts'
import type { Trust } from './stamps/trust.ts'
import { hashOf } from './statement.ts'
import { recordOf } from './tlog/book.ts'
import { leafHash, rootOfInclusion } from './tlog/merkle.ts'
import { type NoteVerifier, openedBy } from './tlog/note.ts'

export interface PublicKeys {
  keys: readonly PublicKey[]
  /** The keys of this log, the current one and the earlier ones. */
  logs: readonly NoteVerifier[]
  trust: Trust
}

export interface AttestationVerdict {
  valid: boolean
  checks: AttestationCheck[]
  signer: string | null
  signed_at: string | null
  /** The first check that failed. */
  reason: string | null
}

export function verify(given: unknown, known: PublicKeys): AttestationVerdict {
  const read = Attestation.safeParse(given, {
    error: ({ input }) => (input === undefined ? 'is missing' : undefined),
  })
  if (!read.success) return verdict([check('form', false, whatIsWrong(read.error))])
  const { statement, statement_sha256, signature, timestamps, evidence = {} } = read.data
  const hash = hashIn(statement)
  const stamps = timestamps.map(stamp => ({ stamp, ...timeStampCheck(stamp, read.data, known.trust) }))
  const witnessed = stamps.flatMap(({ ok, stamp }) => (ok ? stamp.time : [])).sort()[0]
  return verdict(
    [
      formCheck(read.data),
      hashCheck(hash, statement_sha256),
      signatureCheck(read.data, hash),
      keyCheck(read.data, known.keys, witnessed),
      ...stamps.map(({ ok, detail }, i) => ({ name: `timestamp_${i + 1}`, ok, detail })),
      ...(stamps.length ? [] : [check('timestamp', null, read.data.no_timestamp_because ?? noAuthority)]),
      ...logChecks(read.data, known.logs),
      ...evidenceChecks(statement, evidence),
    ],
    { signer: signature.signer, signed_at: statement.observed_at },
  )
}

/** Fields for convenience must equal what everybody can derive. */
function formCheck({ no_timestamp_because: because, timestamps, signature }: Attestation): AttestationCheck {
  const { scheme, domain, types } = signature
  if (!isDeepStrictEqual({ scheme, domain, types }, signatureForm))
    return check('form', false, 'scheme, domain or types are not those of an attestation')
  const fits = (because === null) === timestamps.length > 0
  return check('form', fits, fits ? 'all its parts are there' : 'why there is no time-stamp is wrong')
}

/** Undefined if the statement has no canonical form. */
function hashIn(statement: object): string | undefined {
  try {
    return hashOf(statement)
  } catch {
    // A stranger wrote it: a text has half of a surrogate pair.
    return undefined
  }
}

const verdict = (
  checks: AttestationCheck[],
  about: Pick<AttestationVerdict, 'signer' | 'signed_at'> = { signer: null, signed_at: null },
): AttestationVerdict => {
  const failed = checks.find(({ ok }) => ok === false)
  return {
    valid: failed === undefined,
    checks,
    ...about,
    reason: failed ? `${failed.name}: ${failed.detail}` : null,
  }
}

const hashCheck = (hash: string | undefined, stated: string): AttestationCheck =>
  hash === stated
    ? check('statement_sha256', true, 'the hash of the canonical statement')
    : check(
        'statement_sha256',
        false,
        `the hash of the statement is ${hash ?? 'none: its text is no Unicode'}`,
      )

function signatureCheck({ statement, signature }: Attestation, hash: string | undefined): AttestationCheck {
  const by = hash && signerOfStatement(statement, hash, signature.value)
  return by === signature.signer
    ? check('signature', true, `signed by ${by}`)
    : check('signature', false, `not signed by ${signature.signer}`)
}

function keyCheck(
  { signature, statement }: Attestation,
  keys: readonly PublicKey[],
  witnessed: string | undefined,
): AttestationCheck {
  const key = keys.find(({ address }) => address === signature.signer)
  if (!key) return check('key', false, `${signature.signer} is no key of ours`)
  if (key.key_id !== signature.key_id) return check('key', false, `the key of that address is ${key.key_id}`)
  const why = whyNot(key, statement.observed_at, witnessed)
  return check('key', why === undefined, why ?? `the key ${key.key_id} signed at that time`)
}

function timeStampCheck(
  { token_base64, authority, time, policy }: TimeStamp,
  { statement, statement_sha256 }: Attestation,
  trust: Trust,
): AttestationCheck {
  const name = 'timestamp'
  try {
    const stamp = readToken(Buffer.from(token_base64, 'base64'), { sha256: statement_sha256, trust })
    if (authority !== stamp.authority || time !== instant(stamp.time) || policy !== stamp.policy)
      return check(name, false, `the token says: ${stamp.authority}, ${instant(stamp.time)}, ${stamp.policy}`)
    const isNear = Math.abs(stamp.time - Date.parse(statement.observed_at)) <= mostApartMs
    return check(
      name,
      isNear,
      isNear ? `${authority} saw it at ${time}` : `${time} is not when it was observed`,
    )
  } catch (error) {
    if (!(error instanceof BadToken)) throw error
    return check(name, false, error.message)
  }
}

function logChecks(
  { statement_sha256, signature, timestamps, log }: Attestation,
  logs: readonly NoteVerifier[],
) {
  const own = logs.filter(({ name }) => name === log.origin)
  const opened = openedBy(own, log.checkpoint)
  const tokens = Buffer.concat(timestamps.map(({ token_base64 }) => Buffer.from(token_base64, 'base64')))
  const entry = { statement_sha256, signature: signature.value, timestamps_sha256: sha256(tokens) }
  const proof = log.inclusion.map(hash => Buffer.from(hash, 'hex'))
  const leaf = leafHash(recordOf(entry))
  const root = rootOfInclusion({ index: log.index, size: opened?.size ?? 0, leaf, proof })
  const isIncluded = root !== undefined && opened?.root.equals(root) === true
  return [
    check(
      'log_checkpoint',
      opened !== undefined,
      opened ? `${log.origin} had ${opened.size} entries` : 'not signed by the log',
    ),
    check(
      'log_inclusion',
      isIncluded,
      isIncluded ? `entry ${log.index}` : 'the log does not have this attestation there',
    ),
  ]
}

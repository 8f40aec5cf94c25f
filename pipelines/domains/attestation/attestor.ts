/** Attests statements: signs them, gets time-stamps, and enters them into the log. */
import { instant } from '../../../schemas/values/values.ts'
import type { Part } from '../../rails/process.ts'
import type { Running } from '../../rails/running.ts'
import { addressOfKey } from '../../rails/signing/eip712.ts'
import { sha256 } from '../../rails/signing/sha256.ts'
import { type Attestation, mostApartMs, noAuthority, noneAnswered, signatureForm } from './attestation.ts'
import { type Judging, openJudging } from './judges.ts'
import { keyList, type PublicKey } from './keys.ts'
import { AttestationLedger, type AttestationLedgerOptions } from './ledger.ts'
import { keyIdOf, signStatement } from './signature.ts'
import { askForStamp } from './stamps/request.ts'
import { BadToken, type Stamp } from './stamps/token.ts'
import { type Trust, trustIn } from './stamps/trust.ts'
import { hashOf, type Statement } from './statement.ts'
import { type AttestKeys, attestVariables } from './variables.ts'

type Attested = Pick<
  Attestation,
  'statement_sha256' | 'signature' | 'timestamps' | 'no_timestamp_because' | 'log'
>

/** Too few authorities confirm the time. */
export class NoTimeStamp extends Error {
  override name = 'NoTimeStamp'
}

export interface Attesting extends Running {
  readonly observer: string
  readonly keys: readonly PublicKey[]
  readonly verifiers: AttestationLedgerOptions['verifiers']
  readonly trust: Trust
  readonly authorities: readonly string[]
  readonly ledger: AttestationLedger
  /** Judges attestations from anybody. */
  readonly judge: Judging['judge']
  /** Rejects with NoTimeStamp or LedgerAway. */
  attest(statement: Statement): Promise<Attested>
}

export async function openAttesting(
  { key, former, verifiers, authorities, required, roots, observer }: AttestKeys,
  options: Omit<AttestationLedgerOptions, 'verifiers'>,
): Promise<Attesting> {
  const signer = addressOfKey(key)
  const trust = trustIn(roots)
  const ledger = await AttestationLedger.open({ ...options, verifiers })
  const keys = keyList(signer, former)
  const verifierKeys = verifiers.map(({ verifierKey }) => verifierKey)
  const judging = openJudging({ keys, verifierKeys, roots })

  async function attest(statement: Statement): Promise<Attested> {
    const statement_sha256 = hashOf(statement)
    const value = signStatement(statement, statement_sha256, key)
    const observedAt = Date.parse(statement.observed_at)
    const stamps = await stampsOf(statement_sha256, { observedAt, trust, authorities, required, ...options })
    const timestamps_sha256 = sha256(Buffer.concat(stamps.map(({ token }) => token)))
    const { index, head, inclusion } = await ledger.append({
      statement_sha256,
      signature: value,
      timestamps_sha256,
    })
    return {
      statement_sha256,
      signature: { ...signatureForm, signer, key_id: keyIdOf(signer), value },
      timestamps: stamps.map(({ authority, token, time, policy }) => ({
        ...{ authority, policy },
        token_base64: token.toString('base64'),
        time: instant(time),
      })),
      no_timestamp_because: stamps.length ? null : authorities.length ? noneAnswered : noAuthority,
      log: {
        origin: ledger.name,
        index,
        checkpoint: head.checkpoint,
        inclusion: inclusion.map(hash => hash.toString('hex')),
      },
    }
  }

  return {
    observer,
    keys,
    verifiers,
    trust,
    authorities,
    ledger,
    attest,
    judge: judging.judge,
    get ended() {
      return ledger.ended
    },
    close: async () => {
      await Promise.all([ledger.close(), judging.close()])
    },
  }
}

interface Stamping
  extends Pick<AttestKeys, 'authorities' | 'required'>,
    Pick<AttestationLedgerOptions, 'onFailed'> {
  observedAt: number
  trust: Trust
}

/** Asks all authorities at once, and takes the first good answers. */
async function stampsOf(sha256: string, stamping: Stamping): Promise<Stamp[]> {
  const { observedAt, trust, authorities, required, onFailed } = stamping
  const enough = new AbortController()
  const stamps: Stamp[] = []
  const reasons: string[] = []
  await Promise.all(
    authorities.map(async url => {
      try {
        const stamp = await askForStamp(url, { sha256, trust, signal: enough.signal })
        if (enough.signal.aborted) return
        // Nobody could verify such an attestation, so it is not sold.
        if (Math.abs(stamp.time - observedAt) > mostApartMs)
          throw new BadToken('its clock and ours are too far apart')
        stamps.push(stamp)
        if (stamps.length >= Math.max(1, required)) enough.abort()
      } catch (error) {
        if (!(error instanceof BadToken)) throw error
        reasons.push(`${new URL(url).host}: ${error.message}`)
      }
    }),
  )
  if (stamps.length >= required) return stamps
  const failure = new NoTimeStamp(`${stamps.length} of ${required} time-stamps: ${reasons.join('; ')}`)
  onFailed('timestamp', failure)
  throw failure
}

/** Undefined if this deployment has no keys for attestations. */
export const attestations: Part<Attesting | undefined> = {
  name: 'attestations',
  open({ log, now, read, onFailed }) {
    const keys = read(attestVariables)
    return keys && openAttesting(keys, { log, now, onFailed })
  },
}

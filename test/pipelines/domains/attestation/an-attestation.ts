/**
 * A complete attestation with its evidence, made on a real log, with a real time-stamp, and everything that verifies
 * it.
 */
import { onTestFinished } from 'vitest'
import type { Attestation, Evidence } from '../../../../pipelines/domains/attestation/attestation.ts'
import { type Attesting, openAttesting } from '../../../../pipelines/domains/attestation/attestor.ts'
import {
  canonicalText,
  lengthOf,
  type Statement,
} from '../../../../pipelines/domains/attestation/statement.ts'
import { noteSigner } from '../../../../pipelines/domains/attestation/tlog/note.ts'
import type { AttestKeys } from '../../../../pipelines/domains/attestation/variables.ts'
import type { PublicKeys } from '../../../../pipelines/domains/attestation/verification.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { sha256 } from '../../../../pipelines/rails/signing/sha256.ts'
import { sequence } from '../../../../pipelines/workers/attestation/sequencer.ts'
import { attestEntries } from '../../../../schemas/attest-entries.ts'
import { attestHeads } from '../../../../schemas/attest-heads.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { issue } from '../../../../services/sandbox/certificates.ts'
import {
  newWitness,
  serveTimeAuthority,
  type TimeAuthority,
} from '../../../../services/sandbox/time-authority.ts'
import { scratchFolder } from '../../../scratch.ts'

export const attestKey = `0x${'7'.repeat(64)}`
export const logKey = `0x${'8'.repeat(64)}`
export const logName = 'farebox/attest.example'

/** A JPEG by its size only. */
export const picture = Buffer.from('ffd8ffe000044a46ffc0000b0803200500010111000102ffd9', 'hex')

export interface Attester {
  attesting: Attesting
  attest(more?: Partial<Statement>): Promise<Attestation>
  known: PublicKeys
  authority: TimeAuthority
  /** After this call nobody signs the log. */
  stopSequencing(): Promise<void>
}

/** `more` are other keys or authorities. */
export async function openAttester(
  more: Partial<AttestKeys> = {},
  now: () => number = Date.now,
  atEnd: (end: () => Promise<void> | void) => void = onTestFinished,
  patienceMs = 20_000,
): Promise<Attester> {
  const log = await openLog(`sqlite:${scratchFolder(atEnd)}/log.db`, {
    topics: [attestEntries.topic, attestHeads.topic],
  })
  atEnd(() => log.close())
  const signer = noteSigner(logName, logKey)
  const authority = await serveTimeAuthority(await newWitness(now()), { now })
  const onFailed = () => {}
  const sequencing = await sequence({ log, signer, now, onFailed })
  const attesting = await openAttesting(
    {
      ...{ key: attestKey, former: [], verifiers: [signer], observer: 'farebox/test' },
      ...{ authorities: [authority.url], required: 1, roots: authority.pem },
      ...more,
    },
    { log, now, onFailed, patienceMs },
  )
  atEnd(async () => {
    await attesting.close()
    await sequencing.close()
    await authority.close()
  })
  const { keys, verifiers: logs, trust } = attesting
  const evidence = await evidenceAt(now())
  return {
    attesting,
    authority,
    stopSequencing: () => sequencing.close(),
    known: { keys, logs, trust },
    async attest(more = {}) {
      const statement = { ...statementOf(evidence, now()), ...more }
      return { statement, ...(await attesting.attest(statement)), evidence }
    },
  }
}

export type Whole = { [Part in keyof Evidence]-?: NonNullable<Evidence[Part]> }

export async function evidenceAt(now: number): Promise<Whole> {
  const life = { from: new Date(now - 86_400_000), to: new Date(now + 86_400_000) }
  const root = await issue({ name: 'An authority', ...life })
  const leaf = await issue({ name: 'shop.example', hosts: ['shop.example'], ...life }, root)
  return {
    text: canonicalText('A kettle\nIt costs 20 €.'),
    screenshot_base64: picture.toString('base64'),
    html_base64: Buffer.from('<h1>A kettle</h1>').toString('base64'),
    certificates_base64: [leaf, root].map(({ der }) => der.toString('base64')),
  }
}

function statementOf(evidence: Whole, now: number): Statement {
  const { text, screenshot_base64, html_base64, certificates_base64 } = evidence
  const hashOf = (base64: string) => sha256(Buffer.from(base64, 'base64'))
  const chain = certificates_base64.map(hashOf)
  return {
    version: 'farebox-attest-1',
    url: 'http://shop.example/kettle',
    final_url: 'https://shop.example/kettle',
    redirects: [{ url: 'http://shop.example/kettle', status: 301 }],
    method: 'GET',
    status: 200,
    requested_at: instant(now - 1200),
    observed_at: instant(now),
    serving_ip: '93.184.216.34',
    serving_port: 443,
    tls: {
      protocol: 'TLS 1.3',
      cipher: 'AES_128_GCM',
      certificate_sha256: chain[0] as string,
      chain_sha256: chain,
    },
    html_sha256: hashOf(html_base64),
    text_sha256: sha256(text),
    screenshot_sha256: hashOf(screenshot_base64),
    title: 'A kettle',
    text_chars: lengthOf(text),
    viewport: '1280x800',
    browser: 'Chromium 153.0.8010.0',
    user_agent: 'Farebox',
    observer: 'farebox/test',
  }
}

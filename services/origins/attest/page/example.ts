/** A question and its answer. The answer is made like all others, with public development keys, so it verifies. */
import { noAuthority, signatureForm } from '../../../../pipelines/domains/attestation/attestation.ts'
import { developmentKeys } from '../../../../pipelines/domains/attestation/development.ts'
import { keyIdOf, signStatement } from '../../../../pipelines/domains/attestation/signature.ts'
import {
  canonicalText,
  hashOf,
  lengthOf,
  type Statement,
} from '../../../../pipelines/domains/attestation/statement.ts'
import { LogBook } from '../../../../pipelines/domains/attestation/tlog/book.ts'
import { noteSigner, signCheckpoint } from '../../../../pipelines/domains/attestation/tlog/note.ts'
import { addressOfKey } from '../../../../pipelines/rails/signing/eip712.ts'
import { sha256 } from '../../../../pipelines/rails/signing/sha256.ts'

export const exampleLog = noteSigner('farebox/attest.example', developmentKeys.log)

const text = canonicalText('Public notice\n\nThe harbour is closed to ships above 40 m.')
const url = 'https://notice.sample/board'
const certificate = sha256('the certificate of notice.sample')

const statement: Statement = {
  version: 'farebox-attest-1',
  url,
  final_url: url,
  redirects: [],
  method: 'GET',
  status: 200,
  requested_at: '2026-11-20T09:30:00.120Z',
  observed_at: '2026-11-20T09:30:01.480Z',
  serving_ip: '93.184.216.34',
  serving_port: 443,
  tls: {
    protocol: 'TLS 1.3',
    cipher: 'AES_256_GCM',
    certificate_sha256: certificate,
    chain_sha256: [certificate],
  },
  html_sha256: sha256('<!doctype html><title>Public notice</title>'),
  text_sha256: sha256(text),
  screenshot_sha256: sha256('a picture'),
  title: 'Public notice',
  text_chars: lengthOf(text),
  viewport: '1280x800',
  browser: 'Chromium 153.0.8010.0',
  user_agent: 'Mozilla/5.0 (compatible; Farebox)',
  observer: 'farebox/0.19.0',
}

const statement_sha256 = hashOf(statement)
const signer = addressOfKey(developmentKeys.attest)
const value = signStatement(statement, statement_sha256, developmentKeys.attest)
const book = new LogBook()
book.add({ statement_sha256, signature: value, timestamps_sha256: sha256('') })

export const example = {
  request: { url },
  response: {
    statement,
    statement_sha256,
    signature: { ...signatureForm, signer, key_id: keyIdOf(signer), value },
    timestamps: [],
    no_timestamp_because: noAuthority,
    log: {
      origin: exampleLog.name,
      index: 0,
      checkpoint: signCheckpoint({ size: 1, root: book.tree.root() }, exampleLog),
      inclusion: [],
    },
    evidence: { text },
    left_out: [],
  },
} as const

/** All that is needed to verify attestations without us. */
import { z } from 'zod'
import { Signature, signatureForm } from '../../../../pipelines/domains/attestation/attestation.ts'
import { attestations } from '../../../../pipelines/domains/attestation/attestor.ts'
import { defineFree } from '../../../offer/operation.ts'
import { example, exampleLog } from './example.ts'

const { scheme, domain, types } = Signature.shape
const time = z.string().nullable()
const { signature, log } = example.response
const { signer: address, key_id } = signature

export const attestSigner = defineFree({
  id: 'attestSigner',
  path: '/attest/signer',
  method: 'GET',
  perMinute: 120,
  title: 'Who signs attestations',
  about:
    'The address that signs attestations, those that have signed before with the life of each, the key of the log, and the time-stamp authorities.',
  tags: ['attestation'],
  request: z.strictObject({}),
  response: z.strictObject({
    address: z.string(),
    key_id: z.string().describe('A key that everybody knows has a name that begins with development'),
    scheme,
    domain,
    types,
    keys: z.array(
      z.strictObject({
        key_id: z.string(),
        address: z.string(),
        valid_from: time,
        valid_until: time,
        revoked_at: time,
      }),
    ),
    log: z.strictObject({
      origin: z.string(),
      verifier_key: z.string().describe('As C2SP signed-note has it'),
      former_verifier_keys: z.array(z.string()),
      tiles: z.string().describe('Where checkpoint and tiles are (C2SP tlog-tiles)'),
    }),
    timestamp_authorities: z.array(z.string()).describe('Their hosts'),
  }),
  refusals: { signer_unconfigured: { status: 503, about: 'This deployment has no keys to attest with' } },
  example: {
    request: {},
    response: {
      address,
      key_id,
      ...signatureForm,
      keys: [{ key_id, address, valid_from: null, valid_until: null, revoked_at: null }],
      log: {
        origin: log.origin,
        verifier_key: exampleLog.verifierKey,
        former_verifier_keys: [],
        tiles: '/attest/log',
      },
      timestamp_authorities: ['timestamp.digicert.com'],
    },
  },
  answer(_question, { use }, refuse) {
    const attesting = use(attestations)
    const [current] = attesting?.keys ?? []
    if (!attesting || !current)
      return refuse('signer_unconfigured', 'This deployment has no keys to attest with')
    const [verifier, ...former] = attesting.verifiers
    return {
      address: current.address,
      key_id: current.key_id,
      ...signatureForm,
      keys: attesting.keys.map(key => ({ ...key })),
      log: {
        origin: verifier.name,
        verifier_key: verifier.verifierKey,
        former_verifier_keys: former.map(({ verifierKey }) => verifierKey),
        tiles: '/attest/log',
      },
      timestamp_authorities: attesting.authorities.map(url => new URL(url).host),
    }
  },
})

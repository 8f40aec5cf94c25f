/** Attestations: the content of a page, the time and the server, with proofs that anyone can check without us. */
import manifest from '../../../package.json' with { type: 'json' }
import { attestations } from '../../../pipelines/domains/attestation/attestor.ts'
import { attestVariables } from '../../../pipelines/domains/attestation/variables.ts'
import { attestHeadsSigning } from '../../../pipelines/workers/attestation/sequencer.ts'
import { attestEntries } from '../../../schemas/attest-entries.ts'
import { attestHeads } from '../../../schemas/attest-heads.ts'
import { defineOrigin } from '../../offer/origin.ts'
import { attestDrawings } from './drawings.ts'
import { attestWords } from './field-words.ts'
import { attestLogConsistency } from './log/consistency.ts'
import { attestLogPages } from './log/pages.ts'
import { attestLogProof } from './log/proof.ts'
import { attest } from './page/attest.ts'
import { attestSigner } from './page/signer.ts'
import { attestVerify } from './page/verify.ts'

export const attestOrigin = defineOrigin({
  name: 'attest',
  title: 'Public pages attested: what they said, when, and from which server',
  version: manifest.version,
  address: 'ATTEST_URL',
  variables: [attestVariables],
  parts: [attestations],
  reads: [attestEntries, attestHeads],
  writes: [attestEntries],
  workers: [attestHeadsSigning],
  words: attestWords,
  drawings: attestDrawings,
  operations: [attest],
  free: [attestVerify, attestSigner, attestLogProof, attestLogConsistency],
  pages: attestLogPages,
})

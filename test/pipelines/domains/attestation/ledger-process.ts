/**
 * A process that enters attestations into a log and signs its heads, until a test kills it. It reports the place of
 * each entry.
 */
import { randomBytes } from 'node:crypto'
import { AttestationLedger } from '../../../../pipelines/domains/attestation/ledger.ts'
import { noteSigner } from '../../../../pipelines/domains/attestation/tlog/note.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { sequence } from '../../../../pipelines/workers/attestation/sequencer.ts'
import { attestEntries } from '../../../../schemas/attest-entries.ts'
import { attestHeads } from '../../../../schemas/attest-heads.ts'

const [folder, name = '', key = ''] = process.argv.slice(2)
const signer = noteSigner(name, key)
const log = await openLog(`sqlite:${folder}/log.db`, { topics: [attestEntries.topic, attestHeads.topic] })
const onFailed = (_: string, error: unknown) => console.log(JSON.stringify({ problem: String(error) }))
await sequence({ log, signer, now: Date.now, onFailed })
const ledger = await AttestationLedger.open({ log, verifiers: [signer], now: Date.now, onFailed })

async function enter(): Promise<void> {
  for (;;) {
    const statement_sha256 = randomBytes(32).toString('hex')
    const signature = `0x${randomBytes(65).toString('hex')}`
    const entry = { statement_sha256, signature, timestamps_sha256: statement_sha256 }
    const { index, head } = await ledger.append(entry)
    console.log(JSON.stringify({ statement_sha256, index, size: head.size, root: head.root.toString('hex') }))
  }
}
await Promise.all([enter(), enter(), enter()])

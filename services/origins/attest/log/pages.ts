/** The log for other readers: C2SP tlog-tiles below `/attest/log`. */
import { attestations } from '../../../../pipelines/domains/attestation/attestor.ts'
import type { AttestationLedger } from '../../../../pipelines/domains/attestation/ledger.ts'
import { readTile, tileBytes } from '../../../../pipelines/domains/attestation/tlog/tile.ts'
import { Failure } from '../../../offer/errors.ts'
import type { Tools } from '../../../offer/operation.ts'
import type { OriginPage } from '../../../offer/origin.ts'

const tiles = '/attest/log/tile/'

function ledgerOf({ use }: Tools): AttestationLedger {
  const attesting = use(attestations)
  if (!attesting) throw new Failure('not_found', 'This deployment has no log')
  return attesting.ledger
}

const checkpoint: OriginPage = {
  path: '/attest/log/checkpoint',
  answer(_request, tools) {
    const { head } = ledgerOf(tools)
    if (!head) throw new Failure('not_found', 'The log is empty')
    return { type: 'text/plain; charset=utf-8', body: head.checkpoint }
  },
}

/** The content of a tile of a given width never changes. */
const forEver = { 'cache-control': 'public, max-age=31536000, immutable' }

const tile: OriginPage = {
  path: `${tiles}*`,
  answer({ path }, tools) {
    const { head, book } = ledgerOf(tools)
    const asked = readTile(path.slice(tiles.length))
    const body = asked && tileBytes(asked, book, head?.size ?? 0)
    if (!body) throw new Failure('not_found', 'The log has no such tile')
    return { type: 'application/octet-stream', body, headers: forEver }
  },
}

export const attestLogPages: readonly OriginPage[] = [checkpoint, tile]

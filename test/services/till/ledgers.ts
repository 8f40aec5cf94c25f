/** A ledger on a log of its own, and promises for it: what the till has, without its door. */
import { createHash } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { Promised, SignedPromise } from '../../../schemas/till-promises.ts'
import { instant } from '../../../schemas/values/values.ts'
import { Ledger } from '../../../services/till/ledger.ts'
import { scratchFolder } from '../../scratch.ts'
import { offer, payTo } from './paying.ts'
import { openTestBlobs, openTestLog } from './till-options.ts'

export const idOf = (name: string) => createHash('sha256').update(name).digest('hex')

export const promisedTo = (payer: string, more: Partial<Promised> = {}): Promised => ({
  ...{ promised_at: instant(Date.now()), since: null, dead_at: instant(Date.now() + 60_000) },
  ...{ origin: 'data', operation: 'echoOnce', network: 'base', price_usdc: '0.002' },
  ...{ payer, pay_to: payTo, fingerprint: idOf('asked'), caller: null },
  ...{ question_sha256: idOf('question'), answer_sha256: idOf('answer'), hash_key: '' },
  ...{ answer: '{"said":"hello"}', holds_secret: false },
  trace: {
    ...{ network: offer.network, from: payer, to: payTo },
    ...{ value: '2000', nonce: `0x${'0'.repeat(64)}`, valid_before: 1 },
  },
  ...more,
})

export const signedTo = (...to: Parameters<typeof promisedTo>): SignedPromise => ({
  promised: promisedTo(...to),
  paying: null,
})

export async function openLedger(now: () => number = Date.now): Promise<Ledger> {
  const folder = scratchFolder()
  const [log, blobs] = await Promise.all([openTestLog(folder), openTestBlobs(folder)])
  const ledger = await Ledger.open({
    ...{ log, blobs, now, uptime: () => performance.now() },
    onError: () => {},
  })
  onTestFinished(async () => {
    await ledger.close()
    await log.close()
    await blobs.close()
  })
  return ledger
}

/**
 * Attestations: how fast they are verified beside the bare cryptography that no verifier can do without, how fast they
 * are signed, stamped and logged, and what a log of a million entries costs.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { wrapFetchWithPayment } from '@x402/fetch'
import type { Attestation } from '../../pipelines/domains/attestation/attestation.ts'
import { signerOfStatement } from '../../pipelines/domains/attestation/signature.ts'
import { readToken } from '../../pipelines/domains/attestation/stamps/token.ts'
import { LogBook } from '../../pipelines/domains/attestation/tlog/book.ts'
import { openCheckpoint } from '../../pipelines/domains/attestation/tlog/note.ts'
import { verify } from '../../pipelines/domains/attestation/verification.ts'
import { sha256 } from '../../pipelines/rails/signing/sha256.ts'
import { startSandbox } from '../../services/sandbox/sandbox.ts'
import { payingClient } from '../../services/sandbox/wallet.ts'
import { openAttester } from '../pipelines/domains/attestation/an-attestation.ts'
import { scratchFolder } from '../scratch.ts'

const entries = Number(process.env.BENCH_ENTRIES ?? 1_000_000)
const rounds = 5

export async function attest(): Promise<void> {
  const ends: (() => Promise<void> | void)[] = []
  const atEnd = (end: () => Promise<void> | void) => void ends.unshift(end)
  try {
    await verifying(atEnd)
    log()
    await selling(atEnd)
  } finally {
    for (const end of ends) await end()
  }
}

type AtEnd = (end: () => Promise<void> | void) => void

/** Microseconds of one, the median of the rounds. The two take turns, so that both have the same machine. */
function compared(one: () => void, other: () => void): [number, number] {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds; round++)
    for (const [i, work] of [one, other].entries()) {
      const startedAt = process.cpuUsage()
      for (let n = 0; n < 200; n++) work()
      const { user, system } = process.cpuUsage(startedAt)
      // The first round only warms up.
      if (round > 0) times[i]?.push((user + system) / 200)
    }
  return times.map(each => each.sort((a, b) => a - b)[Math.floor(rounds / 2)]) as [number, number]
}

async function verifying(atEnd: AtEnd): Promise<void> {
  const attester = await openAttester({}, Date.now, atEnd)
  const bare = await attester.attest()
  const picture = Buffer.concat([
    Buffer.from(bare.evidence?.screenshot_base64 ?? '', 'base64').subarray(0, -2),
    randomBytes(250_000),
    Buffer.of(0xff, 0xd9),
  ])
  const whole = await attester.attest({ screenshot_sha256: sha256(picture) })
  whole.evidence = { ...whole.evidence, screenshot_base64: picture.toString('base64') }
  const { evidence: _, ...without } = whole
  const verdict = verify(whole, attester.known)
  if (!verdict.valid) throw new Error(`${verdict.reason}`)
  const floor = floorOf(whole, attester.known)
  const [all, least] = compared(() => verify(whole, attester.known), floor)
  const [bareOnes] = compared(() => verify(without, attester.known), floor)
  console.log('\nattest: verification, on one core')
  console.log(
    `  with evidence (250 kB picture)  ${perSecond(all)} a second, ${(all / least).toFixed(1)} x the bare cryptography`,
  )
  console.log(`  without evidence                ${perSecond(bareOnes)} a second`)
  const [made] = await madeIn(() => attester.attest(), 200)
  console.log(`  signed, stamped and logged      ${perSecond(made)} a second, 20 at once`)
}

/** The signatures and hashes that are in it, and nothing else. */
function floorOf(
  { statement, statement_sha256, signature, timestamps, log, evidence }: Attestation,
  known: Parameters<typeof verify>[1],
) {
  const token = Buffer.from(timestamps[0]?.token_base64 ?? '', 'base64')
  const picture = Buffer.from(evidence?.screenshot_base64 ?? '', 'base64')
  return () => {
    signerOfStatement(statement, statement_sha256, signature.value)
    readToken(token, { sha256: statement_sha256, trust: known.trust })
    openCheckpoint(log.checkpoint, known.logs[0] as (typeof known.logs)[number])
    sha256(picture)
  }
}

const perSecond = (us: number): string => Math.round(1e6 / us).toLocaleString('en')

/** Microseconds of one by the clock, and what the last gave. */
async function madeIn<T>(
  make: () => Promise<T>,
  count: number,
  atOnce = 20,
): Promise<[number, T | undefined]> {
  let last: T | undefined
  let left = count
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) last = await make()
    }),
  )
  return [((performance.now() - startedAt) * 1000) / count, last]
}

function log(): void {
  const book = new LogBook()
  const signature = `0x${'ab'.repeat(65)}`
  const before = process.memoryUsage().rss
  const startedAt = performance.now()
  for (let n = 0; n < entries; n++) {
    const hash = randomBytes(32).toString('hex')
    book.add({ statement_sha256: hash, signature, timestamps_sha256: hash })
  }
  const took = (performance.now() - startedAt) / entries
  const bytes = (process.memoryUsage().rss - before) / entries
  const [proof, consistency] = compared(
    () => book.tree.inclusion(randomInt(entries), entries),
    () => book.tree.consistency(1 + randomInt(entries - 1), entries),
  )
  console.log(`attest: a log of ${entries.toLocaleString('en')} entries`)
  console.log(
    `  read from the topic             ${perSecond(took * 1000)} entries a second, ${Math.round(bytes)} bytes each`,
  )
  console.log(`  inclusion proofs                ${perSecond(proof)} a second`)
  console.log(`  consistency proofs              ${perSecond(consistency)} a second`)
}

/** A page of the sandbox, with a browser, paid, by four callers at once. */
async function selling(atEnd: AtEnd): Promise<void> {
  const ports = { PORT: '0', STORE_PORT: '0', STORE_TCP_PORT: '0' }
  const env = { DATA_DIR: scratchFolder(atEnd), LOG_LEVEL: 'silent', NETWORKS: 'base', ...ports }
  const sandbox = await startSandbox(env, { live: async () => false })
  atEnd(() => sandbox.close())
  const [chain] = sandbox.chains
  if (!chain) throw new Error('no chain')
  const pay = wrapFetchWithPayment(fetch, await payingClient(chain))
  const buy = async () => {
    const answer = await pay(`${sandbox.service.url}/attest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'https://notice.sample/board' }),
    })
    if (answer.status !== 200) throw new Error(await answer.text())
  }
  await buy()
  const [us] = await madeIn(buy, 40, 4)
  console.log(`attest: sold in the sandbox, with a browser: ${Math.round(60e6 / us)} a minute, 4 at once`)
}

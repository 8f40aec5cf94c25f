/** The log of attestations on a real log: its entries, its heads, and two sequencers by mistake. */
import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import {
  AttestationLedger,
  type AttestationLedgerOptions,
  LedgerAway,
} from '../../../../pipelines/domains/attestation/ledger.ts'
import { headsIn } from '../../../../pipelines/domains/attestation/tlog/entries.ts'
import { leafHash, rootOfInclusion } from '../../../../pipelines/domains/attestation/tlog/merkle.ts'
import { noteSigner, openCheckpoint } from '../../../../pipelines/domains/attestation/tlog/note.ts'
import type { Log } from '../../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { metrics } from '../../../../pipelines/rails/metrics.ts'
import { sequence } from '../../../../pipelines/workers/attestation/sequencer.ts'
import { attestEntries } from '../../../../schemas/attest-entries.ts'
import { type AttestHead, attestHeads } from '../../../../schemas/attest-heads.ts'
import { scratchFolder } from '../../../scratch.ts'
import { until } from '../../../until.ts'

const name = 'farebox/attest.example'
const signer = noteSigner(name, `0x${'5'.repeat(64)}`)
const problems: string[] = []
const onFailed = (_: string, error: unknown) => void problems.push((error as Error).message)

const newEntry = () => ({
  statement_sha256: randomBytes(32).toString('hex'),
  signature: `0x${randomBytes(65).toString('hex')}`,
  timestamps_sha256: randomBytes(32).toString('hex'),
})

async function open() {
  const log = await openLog(`sqlite:${scratchFolder()}/log.db`, {
    topics: [attestEntries.topic, attestHeads.topic],
  })
  onTestFinished(() => log.close())
  problems.length = 0
  return log
}

async function sequencing(log: Log, by = signer, seen: Pick<Log, 'append' | 'watch'> = log) {
  const running = await sequence({ log: seen, signer: by, now: Date.now, onFailed })
  onTestFinished(() => running.close())
  return running
}

async function reading(log: Log, more: Partial<AttestationLedgerOptions> = {}) {
  const ledger = await AttestationLedger.open({ log, verifiers: [signer], now: Date.now, onFailed, ...more })
  onTestFinished(() => ledger.close())
  return ledger
}

/** Every head in the log from now on. */
async function headsOf(log: Log) {
  const heads: AttestHead[] = []
  const watching = await log.watch(attestHeads.topic, batch => void heads.push(...headsIn(batch, name)))
  onTestFinished(() => watching.close())
  return heads
}

it('gives each attestation its place, with a proof against a signed head', async () => {
  const log = await open()
  await sequencing(log)
  const ledger = await reading(log)
  const entries = Array.from({ length: 50 }, newEntry)
  const places = await Promise.all(entries.map(entry => ledger.append(entry)))
  expect(places.map(({ index }) => index).sort((a, b) => a - b)).toEqual([...entries.keys()])
  for (const { index, head, inclusion } of places) {
    const opened = openCheckpoint(head.checkpoint, signer)
    expect(opened).toEqual({ size: head.size, root: head.root })
    const leaf = leafHash(ledger.book.record(index))
    expect(rootOfInclusion({ index, size: head.size, leaf, proof: inclusion })).toEqual(head.root)
  }
})

it('has an attestation once, however often it arrives', async () => {
  const log = await open()
  await sequencing(log)
  const ledger = await reading(log)
  const entry = newEntry()
  const [first, second] = await Promise.all([ledger.append(entry), ledger.append(entry)])
  expect([first.index, second.index, ledger.book.size]).toEqual([0, 0, 1])
})

it('continues after a restart with the same root, and signs it again with a new key', async () => {
  const log = await open()
  const first = await sequencing(log)
  const entries = Array.from({ length: 20 }, newEntry)
  const before = await reading(log)
  for (const entry of entries) await before.append(entry)
  await first.close()
  const later = noteSigner(name, `0x${'6'.repeat(64)}`)
  await sequencing(log, later)
  const ledger = await reading(log, { verifiers: [later, signer] })
  await until(() => ledger.head && openCheckpoint(ledger.head.checkpoint, later))
  expect(ledger.head).toMatchObject({ size: 20, root: before.head?.root })
  const { index } = await ledger.append(newEntry())
  expect(index).toBe(20)
})

it('keeps the log of another host apart', async () => {
  const log = await open()
  const other = noteSigner('farebox/other.example', `0x${'5'.repeat(64)}`)
  await sequencing(log)
  await sequencing(log, other)
  const ledger = await reading(log)
  const others = await reading(log, { verifiers: [other] })
  await ledger.append(newEntry())
  const { index } = await others.append(newEntry())
  expect(index).toBe(0)
  expect(ledger.book.size).toBe(1)
})

it('reports that the log is away while nobody signs it, or while it accepts nothing', async () => {
  const log = await open()
  const ledger = await reading(log, { patienceMs: 50 })
  await expect(ledger.append(newEntry())).rejects.toThrow(new LedgerAway('nobody signs the log'))
  const failing = { watch: log.watch.bind(log), append: () => Promise.reject(new Error('full')) }
  const away = await reading(log, { log: failing })
  await expect(away.append(newEntry())).rejects.toThrow(new LedgerAway('the log takes no entry'))
})

it('two sequencers never sign two roots of one size', async () => {
  const log = await open()
  const heads = await headsOf(log)
  // Neither process reads the other's heads, and each reads the entries in its own time: both sign the entries that
  // they know.
  const alone = (): Pick<Log, 'append' | 'watch'> => ({
    append: log.append.bind(log),
    watch: (topic, handle, options) =>
      log.watch(
        topic,
        async batch => {
          await new Promise(resolve => setTimeout(resolve, Math.random() * 5))
          if (topic !== attestHeads.topic) await handle(batch)
        },
        options,
      ),
  })
  await sequencing(log, signer, alone())
  await sequencing(log, signer, alone())
  const ledger = await reading(log)
  const places = await Promise.all(
    Array.from({ length: 200 }, async () => {
      await new Promise(resolve => setTimeout(resolve, Math.random() * 100))
      return ledger.append(newEntry())
    }),
  )
  await until(() => heads.filter(({ size }) => size === 200).length === 2, 'both to sign the last head')
  const roots = new Map<number, Set<string>>()
  for (const { size, root, checkpoint } of heads) {
    roots.set(size, (roots.get(size) ?? new Set()).add(root))
    expect(openCheckpoint(checkpoint, signer)?.root).toEqual(ledger.book.tree.root(size))
  }
  expect([...roots.values()].every(({ size }) => size === 1)).toBe(true)
  expect(heads.length).toBeGreaterThan(roots.size)
  expect(new Set(places.map(({ index }) => index)).size).toBe(200)
  expect(problems).toEqual([])
})

it('stops signing once the topic has lost entries, and ignores a head that does not fit', async () => {
  const log = await open()
  const root = randomBytes(32).toString('hex')
  const head: AttestHead = {
    log: name,
    size: 1,
    root,
    checkpoint: 'of another topic',
    at: '2026-11-22T09:30:00.000Z',
  }
  await log.append(attestHeads.topic, [{ key: name, value: JSON.stringify(head) }])
  const heads = await headsOf(log)
  const sequencer = await sequencing(log)
  const ledger = await reading(log, { patienceMs: 50 })
  await expect(ledger.append(newEntry())).rejects.toThrow('nobody signs')
  await until(() => problems.some(problem => problem.includes('has lost entries')))
  expect(heads).toHaveLength(1)
  expect(ledger.head).toBeUndefined()
  const unsigned = async () => (await metrics.attestLogUnsigned.get()).values.map(({ value }) => value)
  await until(async () => (await unsigned())[0] === 1, 'the alert to have its number')
  await sequencer.close()
  expect(await unsigned()).toEqual([])
})

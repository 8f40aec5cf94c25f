import { randomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { Signers } from '../../../../pipelines/rails/signing/signers.ts'

const thread = new URL('../../../../pipelines/rails/signing/signer-thread.ts', import.meta.url)

async function signedBy(count: number) {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const digest = randomBytes(32)
      const payer = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`)
      const signature = await payer.sign({ hash: `0x${digest.toString('hex')}` })
      return { digest, signature, signer: payer.address.toLowerCase() }
    }),
  )
}

/** Asks for all in one turn of the event loop. */
const asked = (signers: Signers, all: Awaited<ReturnType<typeof signedBy>>) =>
  Promise.all(all.map(({ digest, signature }) => signers.of(digest, signature)))

it('reads one signature at once, and those that come with it beside', async () => {
  const opened: Worker[] = []
  const signers = new Signers(() => {
    opened.push(new Worker(thread))
    return opened.at(-1) as Worker
  })
  for (let round = 0; round < 3; round++) {
    const all = await signedBy(20)
    const [first, ...others] = all.map(({ digest, signature }) => signers.of(digest, signature))
    expect(first).toBe(all[0]?.signer)
    for (const other of others) expect(other).toBeInstanceOf(Promise)
    expect(await Promise.all(others)).toEqual(all.slice(1).map(({ signer }) => signer))
  }
  expect(opened).toHaveLength(1)
  await opened[0]?.terminate()
})

it('tells of each its own end, whatever strangers send between them', async () => {
  const signers = new Signers(() => new Worker(thread))
  const all = await signedBy(6)
  const [zero, high, lines] = [`0x${'0'.repeat(130)}`, `0x${'f'.repeat(130)}`, `${'\n'.repeat(131)}a`]
  const mixed = all.flatMap(({ digest, signature }) =>
    [signature, zero, high, lines, '0x'].map(text => signers.of(digest, text)),
  )
  expect(await Promise.all(mixed)).toEqual(
    all.flatMap(({ signer }) => [signer, undefined, undefined, undefined, undefined]),
  )
})

it.each([
  ['ends in the middle of its work', () => new Worker('process.exit(1)', { eval: true })],
  ['throws', () => new Worker('throw new Error("no")', { eval: true })],
  [
    'cannot be had',
    () => {
      throw new Error('no more threads')
    },
  ],
])('reads all by itself where the thread %s', async (_, open) => {
  let opened = 0
  const signers = new Signers(() => {
    opened++
    return open()
  })
  for (let round = 0; round < 3; round++) {
    const all = await signedBy(12)
    expect(await asked(signers, all)).toEqual(all.map(({ signer }) => signer))
  }
  // It is not tried again for each call.
  expect(opened).toBe(1)
})

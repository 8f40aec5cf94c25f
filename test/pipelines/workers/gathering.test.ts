/** How a sink lets the log gather rows between two inserts. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Gathering } from '../../../pipelines/workers/gathering.ts'

const hourMs = 3_600_000
const batch = (rows: number, partition = 0) => Array.from({ length: rows }, () => ({ partition }))

it('inserts the first batch of each partition and large ones at once, and lets a small one wait until the end', async () => {
  const closing = new AbortController()
  const gathering = new Gathering(closing.signal, hourMs)
  await gathering.before(batch(1))
  await gathering.before(batch(1, 1))
  await gathering.before(batch(1_000))
  let isOver = false
  const small = gathering.before(batch(999)).then(() => {
    isOver = true
  })
  await turn()
  expect(isOver).toBe(false)
  closing.abort()
  await small
  // What is left at the end is inserted, and not given up.
  await gathering.before(batch(1))
})

it('waits no longer than the time between two inserts', async () => {
  const gathering = new Gathering(new AbortController().signal, 1)
  for (let i = 0; i < 5; i++) await gathering.before(batch(1))
})

import { expect, it } from 'vitest'
import { onSmallDisk } from '../../full-disk.ts'
import { scratchFolder } from '../../scratch.ts'
import { largeAnswer } from './large-answer.ts'
import { signed } from './paying.ts'
import { openTestBlobs } from './till-options.ts'
import { failure, isAnswer, openBench } from './tills.ts'

const large = largeAnswer('picture')
const answer = async () => large

it('a full disk costs the caller nothing, and the same payment buys once there is room', async ({ skip }) => {
  const disk = scratchFolder()
  const hadDisk = await onSmallDisk(disk, 1 << 20, async makeRoom => {
    const blobs = await openTestBlobs(disk)
    const bench = await openBench({ blobs })
    const payment = await signed()
    await expect(bench.buy(payment, { answer })).rejects.toThrow(failure('log_unavailable'))
    expect(bench.facilitator.calls.settle).toBe(0)
    makeRoom()
    expect(isAnswer((await bench.buy(payment, { answer })).body, large)).toBe(true)
    await bench.till.close()
    await blobs.close()
  })
  if (!hadDisk) skip('a full disk needs a mount, which this user may not make')
})

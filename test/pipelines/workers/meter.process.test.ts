import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { entryOf, settlement } from '../../schemas/settlement.ts'
import { scratchFolder } from '../../scratch.ts'

it('counts every sale once on its pages, despite kills and absences', async () => {
  const folder = scratchFolder()
  const topics = [settlements.topic]
  const away = async (name: string, count: number) => {
    const log = await openLog(`sqlite:${folder}/log.db`, { topics })
    for (let n = 0; n < count; n++) await log.append(settlements.topic, [entryOf(settlement(`${name} ${n}`))])
    await log.close()
  }
  const run = async (round: number) => {
    const args = ['test/pipelines/meter-process.ts', folder, String(round)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const { value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next()
    child.kill('SIGKILL')
    await once(child, 'exit')
    return JSON.parse(value as string) as { zeros: number; last: number }
  }
  await away('before any meter', 5)
  let shown = 0
  let sold = 0
  for (const round of [1, 2, 3]) {
    const { zeros, last } = await run(round)
    // Prometheus sees the increase only after a page of zeros.
    expect(zeros).toBe(0)
    shown += last
    sold += 20 + 30
    await away(`away ${round}`, 40)
    sold += 40
  }
  const { last } = await run(4)
  // The sales at its own end are those that the next meter would count.
  expect(shown + last).toBe(sold + 20)
})

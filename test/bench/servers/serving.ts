/** A bench server runs in a process of its own, tells its parent where it listens and what it used, and ends with it. */
import { Session } from 'node:inspector/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface Usage {
  /** The processor time of all its threads, since it began. */
  cpuUs: number
  /** The processor time of the thread that answers. */
  mainUs: number
  rssBytes: number
  heapBytes: number
  /** Since the last question, 99 of 100. */
  loopDelayMs: number
  /** What its log takes on disk. */
  fileBytes?: number | undefined
}

export function serving(url: string, fileBytes?: () => number): void {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  let session: Session | undefined
  const answers: Record<string, () => Promise<unknown> | unknown> = {
    usage: (): Usage => {
      const [all, main] = [process.cpuUsage(), process.threadCpuUsage()]
      const { rss, heapUsed } = process.memoryUsage()
      const loopDelayMs = delay.percentile(99) / 1e6 - 10
      delay.reset()
      return {
        cpuUs: all.user + all.system,
        mainUs: main.user + main.system,
        rssBytes: rss,
        heapBytes: heapUsed,
        loopDelayMs: Math.max(0, loopDelayMs),
        fileBytes: fileBytes?.(),
      }
    },
    begin: async () => {
      session = new Session()
      session.connect()
      await session.post('Profiler.enable')
      await session.post('Profiler.start')
    },
    end: async () => (await session?.post('Profiler.stop'))?.profile,
  }
  process.on('message', async (question: { ask?: string }) => {
    const answer = question.ask && answers[question.ask]
    if (answer) process.send?.({ answer: await answer() })
  })
  process.send?.({ url })
  process.on('disconnect', () => process.exit(0))
}

/** Every server gives the same answer to the same question. */
/** The operation of a file, where the server has an upstream. */
export const tidePath = '/tide'
export const path = '/fx'
export const question = '{"from":"USD","to":"JPY","amount":100}'
export const answered = {
  from: 'USD',
  to: 'JPY',
  rate: 159.83396,
  converted: 15983.396,
  rate_date: '2026-04-13',
  notice: 'Published for information purposes only.',
}
export const payTo = '0x1111111111111111111111111111111111111111'

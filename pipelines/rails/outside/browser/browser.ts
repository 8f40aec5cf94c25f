/** The one browser of a process. It starts with the first page, and a new one replaces it before it grows old. */
import { readFile } from 'node:fs/promises'
import { metrics } from '../../metrics.ts'
import { type BinaryOptions, findBinary } from './binary.ts'
import { BrowserGone } from './cdp.ts'
import { type Chromium, type ChromiumOptions, runsAsRoot, startChromium } from './chromium.ts'

export interface Browser {
  /** Rejects with NoBrowser if there is none. */
  use<T>(work: (chromium: Chromium) => Promise<T>): Promise<T>
  /** Starts it before the first page. A failure shows itself at that page. */
  warm(): void
  close(): Promise<void>
}

export interface BrowserOptions extends ChromiumOptions, Omit<BinaryOptions, 'forOthers'> {
  /** It is replaced after this many pages. */
  mostPages?: number
  /** It is replaced when it has grown beyond this size. */
  mostBytes?: number
}

interface Running {
  chromium: Chromium
  pages: number
  inUse: number
  isOld: boolean
}

/** A browser that could not start is not started again at once: each try costs half a second of CPU. */
const restMs = 10_000

export function openBrowser(options: BrowserOptions): Browser {
  const { mostPages = 500, mostBytes = 800 << 20, withoutSandbox } = options
  /** The browser for new pages. */
  let current: Promise<Running> | undefined
  const alive = new Set<Running>()

  async function start(): Promise<Running> {
    const binary = await findBinary({ ...options, forOthers: runsAsRoot() && !withoutSandbox })
    const chromium = await startChromium(binary, options)
    const running = { chromium, pages: 0, inUse: 0, isOld: false }
    alive.add(running)
    chromium.ended.then(() => alive.delete(running))
    return running
  }

  async function ready(): Promise<Running> {
    const asked = current
    const running = await asked
    if (running && alive.has(running) && !running.isOld) return running
    // Another page may have started a new one in the meantime.
    if (current && current !== asked) return current
    const begun = start()
    begun.catch(() => {
      const forget = () => {
        if (current === begun) current = undefined
      }
      setTimeout(forget, restMs).unref()
    })
    current = begun
    return begun
  }

  /** An old browser gets no new pages, and ends after its last one. */
  async function look(running: Running): Promise<void> {
    const bytes = await bytesOf(running.chromium)
    metrics.browserBytes.set(bytes)
    running.isOld ||= bytes > mostBytes
    if (running.isOld && running.inUse === 0) await running.chromium.kill()
  }

  return {
    warm: () => void ready().catch(() => undefined),
    async use(work) {
      let running = await ready()
      // It may have grown too large in the meantime.
      while (running.isOld) running = await ready()
      running.pages += 1
      running.inUse += 1
      running.isOld = running.pages >= mostPages
      // The next page finds a new one that is up already.
      if (running.isOld) void ready().catch(() => undefined)
      try {
        return await work(running.chromium)
      } catch (error) {
        // The pipe reports the end earlier than the process does.
        if (error instanceof BrowserGone) running.isOld = true
        throw error
      } finally {
        running.inUse -= 1
        void look(running)
      }
    },
    async close() {
      await current?.catch(() => undefined)
      await Promise.all([...alive].map(({ chromium }) => chromium.kill()))
    },
  }
}

const pageBytes = 4096

/** Linux only. Elsewhere only the number of pages decides. */
async function bytesOf({ cdp }: Chromium): Promise<number> {
  try {
    const { processInfo } = await cdp.send('SystemInfo.getProcessInfo')
    const sizes = await Promise.all((processInfo as { id: number }[]).map(({ id }) => residentBytes(id)))
    return sizes.reduce((sum, size) => sum + size, 0)
  } catch {
    // The process has ended.
    return 0
  }
}

/** Memory that is shared with other processes is not counted: Chromium's processes share much. */
async function residentBytes(pid: number): Promise<number> {
  const [, resident = 0, shared = 0] = (await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => ''))
    .split(' ')
    .map(Number)
  return (resident - shared) * pageBytes
}

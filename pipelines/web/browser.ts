/** The one browser of a process. It starts at the first page, and gives way to a new one before it grows old. */
import { readFile } from 'node:fs/promises'
import { type BinaryOptions, findBinary } from './binary.ts'
import { type Chromium, type ChromiumOptions, runsAsRoot, startChromium } from './chromium.ts'

export interface Browser {
  /** Rejects with NoBrowser where there is none. */
  use<T>(work: (chromium: Chromium) => Promise<T>): Promise<T>
  /** How much CPU and memory it takes now. Undefined while none runs. */
  usage(): Promise<Usage | undefined>
  close(): Promise<void>
}

export interface BrowserOptions extends ChromiumOptions, Omit<BinaryOptions, 'forOthers'> {
  /** It is replaced after so many pages. */
  mostPages?: number
  /** It is replaced when it has grown beyond this. */
  mostBytes?: number
}

export interface Usage {
  cpuSeconds: number
  bytes: number
}

interface Running {
  chromium: Chromium
  pages: number
  inUse: number
}

/** A browser that could not start is not tried again at once: each try costs half a second of CPU. */
const restMs = 10_000

export function openBrowser(options: BrowserOptions): Browser {
  const { mostPages = 500, mostBytes = 800 << 20, withoutSandbox } = options
  let current: Promise<Running> | undefined
  const alive = new Set<Running>()

  async function start(): Promise<Running> {
    const binary = await findBinary({ ...options, forOthers: runsAsRoot() && !withoutSandbox })
    const chromium = await startChromium(binary, options)
    const running = { chromium, pages: 0, inUse: 0 }
    alive.add(running)
    chromium.ended.then(() => alive.delete(running))
    return running
  }

  function ready(): Promise<Running> {
    if (current) return current
    const begun = start()
    const forget = () => {
      if (current === begun) current = undefined
    }
    begun.then(
      ({ chromium }) => chromium.ended.then(forget),
      () => setTimeout(forget, restMs).unref(),
    )
    current = begun
    return begun
  }

  /** It gets no new page, and ends with its last one. */
  async function retire(running: Running): Promise<void> {
    if ((await current?.catch(() => undefined)) === running) current = undefined
    if (running.inUse === 0) await running.chromium.kill()
  }

  async function isOld(running: Running): Promise<boolean> {
    if (running.pages >= mostPages) return true
    return ((await usageOf(running.chromium))?.bytes ?? 0) > mostBytes
  }

  return {
    async use(work) {
      const running = await ready()
      running.pages += 1
      running.inUse += 1
      try {
        return await work(running.chromium)
      } finally {
        running.inUse -= 1
        if (await isOld(running)) await retire(running)
      }
    },
    async usage() {
      const running = await current
      return running && usageOf(running.chromium)
    },
    async close() {
      await current?.catch(() => undefined)
      await Promise.all([...alive].map(({ chromium }) => chromium.kill()))
    },
  }
}

const pageBytes = 4096

/** Linux only: elsewhere the number of pages alone decides. */
async function usageOf({ cdp }: Chromium): Promise<Usage | undefined> {
  try {
    const { processInfo } = await cdp.send('SystemInfo.getProcessInfo')
    const parts: { id: number; cpuTime: number }[] = processInfo
    const sizes = await Promise.all(parts.map(({ id }) => residentBytes(id)))
    return {
      cpuSeconds: parts.reduce((sum, { cpuTime }) => sum + cpuTime, 0),
      bytes: sizes.reduce((sum, size) => sum + size, 0),
    }
  } catch {
    // It has ended.
    return undefined
  }
}

/** What is shared with other processes is not counted: Chromium's processes share much. */
async function residentBytes(pid: number): Promise<number> {
  const [, resident = 0, shared = 0] = (await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => ''))
    .split(' ')
    .map(Number)
  return (resident - shared) * pageBytes
}

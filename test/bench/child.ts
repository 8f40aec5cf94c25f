/** Starts a bench server and waits until it says where it listens. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Profiler } from 'node:inspector'
import { fileURLToPath } from 'node:url'
import type { Usage } from './servers/serving.ts'

export interface Child {
  url: string
  usage(): Promise<Usage>
  /** Profiles its main thread while the work is done. */
  profile(work: () => Promise<unknown>): Promise<Profiler.Profile>
  stop(): Promise<void>
}

export async function start(name: string, args: string[] = [], message?: object): Promise<Child> {
  const child = fork(fileURLToPath(new URL(`./servers/${name}.ts`, import.meta.url)), args)
  if (message) child.send(message)
  const [{ url }] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`))),
  ])) as [{ url: string }]
  async function ask<T>(question: string): Promise<T> {
    const heard = once(child, 'message')
    child.send({ ask: question })
    return ((await heard) as [{ answer: T }])[0].answer
  }
  return {
    url: url.replace('[::1]', '127.0.0.1'),
    usage: () => ask('usage'),
    async profile(work) {
      await ask('begin')
      await work()
      return ask('end')
    },
    stop: async () => {
      child.disconnect()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

/** Starts a bench server and waits until it says where it listens. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface Child {
  url: string
  stop(): Promise<void>
}

export async function start(name: string, args: string[] = [], message?: object): Promise<Child> {
  const child = fork(fileURLToPath(new URL(`./servers/${name}.ts`, import.meta.url)), args)
  if (message) child.send(message)
  const [{ url }] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`))),
  ])) as [{ url: string }]
  return {
    url: url.replace('[::1]', '127.0.0.1'),
    stop: async () => {
      child.disconnect()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

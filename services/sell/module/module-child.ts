/** The process of one module. It answers one question at a time; its parent ends it where a question takes too long. */
import { registerHooks } from 'node:module'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { ModuleOperation, ModuleTools } from '../../offer/package/module.ts'
import { safeFetch } from '../../offer/package/safe-fetch.ts'
import { placeIn } from '../code/error-place.ts'
import { isOfPackage } from '../code/package-name.ts'
import { withoutControls } from './said.ts'

export interface ModuleSettings {
  file: string
  hosts: readonly string[]
  /** The seller's process. */
  parent: number
  mostLetters: number
}

/**
 * `load`: nothing is asked, and the reply says whether the module can be. Its variables come with a question: what a process is started
 * with is shown to others.
 */
export type ModuleQuestion =
  | { load: true }
  | { question: Record<string, unknown>; env: Readonly<Record<string, string>> }

export type ModuleReply = { json: string } | { refused: string } | { broke: string }

interface Served {
  served: number
  result?: string
  error?: string
}

/** A module may give every object a name. */
const isServed = (message: object): message is Served => Object.hasOwn(message, 'served')

class Refusing extends Error {}

const { parent, file, hosts, mostLetters } = JSON.parse(process.argv[2] ?? '') as ModuleSettings
const send = process.send?.bind(process) as (message: object) => void

/** While the module never gives up its thread, nothing here hears that the parent is gone. */
const watch = `setInterval(() => { if (process.ppid !== ${parent}) process.kill(process.pid, 'SIGKILL') }, 500)`
const watching = new Worker(watch, { eval: true })
const kill = process.kill.bind(process)
process.on('disconnect', () => kill(process.pid, 'SIGKILL'))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

let wishes = 0
const waiting = new Map<number, PromiseWithResolvers<string>>()
const view: ModuleTools['view'] = async (query, parameters = {}) => {
  const wish = ++wishes
  const heard = Promise.withResolvers<string>()
  waiting.set(wish, heard)
  send({ wish, what: { view: query, parameters } })
  return JSON.parse(await heard.promise) as Record<string, unknown>[]
}

const mostKept = 1_000
const kept = new Map<string, { value: unknown; until: number }>()
const once: ModuleTools['once'] = async (name, keepMs, make) => {
  const known = kept.get(name)
  if (known && Date.now() < known.until) return known.value as never
  const value = await make()
  if (kept.size >= mostKept) kept.delete(kept.keys().next().value as string)
  kept.set(name, { value, until: Date.now() + keepMs })
  return value
}

const refuse = (code: string): never => {
  throw new Refusing(code)
}

const fetch = safeFetch(hosts)
const tools = { fetch, now: Date.now, view, once, refuse }

/** Tools that reach the parent are not the module's. It is no prison: a module is the operator's own. */
function takeAway(): void {
  globalThis.fetch = fetch
  const own = process as unknown as Record<string, unknown>
  for (const name of ['send', 'kill', '_kill', '_debugProcess']) own[name] = undefined
  const { getBuiltinModule } = process
  own.getBuiltinModule = (name: string) => getBuiltinModule(mayLoad(name))
  registerHooks({
    resolve: (specifier, context, next) =>
      isOfPackage(specifier)
        ? next(specifier, { ...context, parentURL: import.meta.url })
        : next(mayLoad(specifier), context),
  })
}

/** A thread could be started with other rights than its process has. */
function mayLoad(name: string): string {
  if (/^(?:node:)?(?:worker_threads|cluster|inspector)(?:\/|$)/.test(name))
    throw new Error(`a module may not load ${name}`)
  return name
}

async function load(): Promise<ModuleOperation | string> {
  try {
    const { default: found } = (await import(pathToFileURL(file).href)) as { default?: ModuleOperation }
    return typeof found?.answer === 'function'
      ? found
      : 'it should export defineOperation({ answer }) as default'
  } catch (error) {
    console.error(error)
    const place = error instanceof Error ? placeIn(file, error) : undefined
    const where = place ? ` (${file}:${place.line}:${place.column})` : ''
    return `it cannot be loaded: ${withoutControls(String(error), 300)}${where}`
  }
}

async function replyTo(module: ModuleOperation | string, asked: ModuleQuestion): Promise<ModuleReply> {
  if (typeof module === 'string') return { broke: module }
  if (Object.hasOwn(asked, 'load')) return { json: 'null' }
  const { question, env } = asked as Exclude<ModuleQuestion, { load: true }>
  try {
    const json = JSON.stringify(await module.answer(question, { ...tools, env })) as string | undefined
    if (json === undefined) return { broke: 'it answered nothing' }
    return json.length > mostLetters ? { broke: `it answered more than ${mostLetters} letters` } : { json }
  } catch (error) {
    if (error instanceof Refusing) return { refused: error.message }
    console.error(error)
    return { broke: 'it threw an error' }
  }
}

// A module may write after its answer, and its last words are of use.
process.on('uncaughtException', error => {
  console.error(error)
  process.exit(1)
})
watching.unref()
takeAway()
const module = await load()
process.on('message', (message: ModuleQuestion | Served) => {
  if (!isServed(message)) return void replyTo(module, message).then(result => send({ result }))
  const heard = waiting.get(message.served)
  waiting.delete(message.served)
  if (message.error === undefined) heard?.resolve(message.result ?? '[]')
  else heard?.reject(new Error(message.error))
})
send({ ready: true })

/**
 * One process of its own, without secrets and without a right to write. It answers one question at a time, and is killed
 * where a question takes too long or too much memory. A thread is not enough: where V8 finds no memory for a large piece, it
 * ends the whole process.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { bePolite } from '../politeness.ts'
import { whereUnreadable } from './channel.ts'

export class TaskTooLong extends Error {
  override name = 'TaskTooLong'
}
/** The task needs more memory than its limit, or breaks its process in another way. */
export class TaskBroke extends Error {
  override name = 'TaskBroke'
}

export interface ChildOptions {
  /** The file that the process runs. It calls `answerQuestions`. */
  file: URL
  /** The time limit of a task in a loaded process. After it the process is killed. */
  deadlineMs: number
  /** The limit of the JavaScript heap. Memory outside of the heap may be as much again. */
  mostMegabytes: number
  /** How long it may take to be loaded. Absent: as long as it takes. */
  loadMs?: number
  /** What it is started with. */
  args?: readonly string[]
  /** The files and folders that it may read, and then also a thread of its own. Absent: all. */
  reads?: readonly string[]
  /** Hears each line that it prints. Absent: nobody does. */
  onSaid?(line: string): void
  /** Answers what it asks of its parent during a task. */
  serve?(wish: unknown): Promise<unknown>
}

export interface ChildReply {
  /** The first message: the process is loaded. On a busy machine loading takes seconds, and no task pays for that time. */
  ready?: true
  result?: unknown
  error?: string
  /** The process has grown, and a fresh one takes its place. */
  ends?: boolean
  /** The number of something that it asks of its parent, and what. The answer has the number as `served`. */
  wish?: number
  what?: unknown
}

interface Task {
  question: unknown
  wishes: number
  done: PromiseWithResolvers<unknown>
}

/** Of one task. */
const mostWishes = 100
/** What has no end of a line is heard in pieces. */
const mostLine = 4_096

/** It is read while it comes: a pipe that is full would hold the process up. */
function hearLines(stream: Readable | null, hear: (line: string) => void): void {
  let rest = ''
  stream?.setEncoding('utf8')
  stream?.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) hear(line)
    if (rest.length < mostLine) return
    hear(rest)
    rest = ''
  })
  stream?.on('end', () => rest && hear(rest))
}

/** An idle process ends after this time, which frees its memory. */
const mostIdleMs = 5 * 60_000
const weighedEveryMs = 250
const pageBytes = 4_096
/** The memory of a process that has read nothing yet, with its code. */
const ownMegabytes = 150

/** The process starts with the first question. After it was ended, the next question starts a fresh one. */
export class Child {
  readonly #options: ChildOptions
  #process: ChildProcess | undefined
  #task: Task | undefined
  #timers: NodeJS.Timeout[] = []
  #isReady = false

  constructor(options: ChildOptions) {
    this.#options = options
  }

  get isBusy(): boolean {
    return this.#task !== undefined
  }

  get isLoaded(): boolean {
    return this.#isReady
  }

  /** Call it only while the child is idle. Rejects with TaskTooLong or TaskBroke. */
  ask(question: unknown): Promise<unknown> {
    this.#still()
    this.#task = { question, wishes: 0, done: Promise.withResolvers() }
    this.#process ??= this.#start()
    this.#refer(true)
    const { promise } = this.#task.done
    if (this.#isReady) this.#begin()
    else this.#mustLoad()
    return promise
  }

  async close(): Promise<void> {
    const process = this.#process
    process?.ref()
    this.#end(new TaskBroke('it is closed'))
    if (process?.exitCode === null && process.signalCode === null)
      await new Promise(resolve => process.once('exit', resolve))
  }

  #mustLoad(): void {
    const { loadMs } = this.#options
    const late = () => this.#end(new TaskTooLong(`it is not loaded after ${loadMs} ms`))
    if (loadMs !== undefined) this.#timers.push(setTimeout(late, loadMs))
  }

  #begin(): void {
    if (!this.#task) return
    this.#still()
    const { deadlineMs } = this.#options
    const late = () => this.#end(new TaskTooLong(`it takes longer than ${deadlineMs} ms`))
    this.#timers.push(setTimeout(late, deadlineMs))
    this.#timers.push(setInterval(() => void this.#weigh(), weighedEveryMs))
    this.#process?.send(this.#task.question as object)
  }

  #start(): ChildProcess {
    const { file, mostMegabytes, args = [], reads, onSaid } = this.#options
    const out = onSaid ? 'pipe' : 'ignore'
    const mayRead = reads
      ? ['--allow-worker', '--disable-warning=PERM0006', ...reads.map(each => `--allow-fs-read=${each}`)]
      : []
    const process = fork(fileURLToPath(file), args, {
      serialization: 'advanced',
      stdio: ['ignore', out, out, 'ipc'],
      execArgv: [
        `--max-old-space-size=${mostMegabytes}`,
        '--permission',
        ...(reads ? mayRead : ['--allow-fs-read=*']),
      ],
      env: {},
    })
    if (onSaid) for (const stream of [process.stdout, process.stderr]) hearLines(stream, onSaid)
    if (process.pid !== undefined) bePolite(5, process.pid)
    const isCurrent = () => this.#process === process
    process.on('message', (reply: ChildReply) => {
      if (!isCurrent()) return
      if (reply.wish !== undefined) return this.#serve(process, reply.wish, reply.what)
      if (!reply.ready) return this.#take(reply)
      this.#isReady = true
      this.#begin()
    })
    const ended = (reason: string) => isCurrent() && this.#end(new TaskBroke(reason))
    process.on('error', error => ended(error.message))
    whereUnreadable(process, () => ended('it said what is no message'))
    // V8 aborts where it has no memory left.
    process.on('exit', (_, signal) => ended(signal === 'SIGABRT' ? this.#tooMuch() : 'its process ended'))
    return process
  }

  #serve(process: ChildProcess, wish: number, what: unknown): void {
    const task = this.#task
    if (!task) return
    task.wishes += 1
    if (task.wishes > mostWishes) {
      this.#end(new TaskBroke(`it asks more than ${mostWishes} things`))
      return
    }
    const send = (answer: object) => process === this.#process && process.send({ served: wish, ...answer })
    const served = this.#options.serve?.(what) ?? Promise.reject(new Error('nobody answers this'))
    served.then(
      result => send({ result }),
      error => send({ error: error instanceof Error ? error.message : String(error) }),
    )
  }

  /** WebAssembly and buffers lie outside of the heap that V8 bounds. Only Linux tells what a process holds. */
  async #weigh(): Promise<void> {
    const task = this.#task
    const memory = await readFile(`/proc/${this.#process?.pid}/statm`, 'utf8').catch(() => '')
    const held = (Number(memory.split(' ')[1] ?? 0) * pageBytes) >> 20
    if (held > ownMegabytes + 2 * this.#options.mostMegabytes && task !== undefined && task === this.#task)
      this.#end(new TaskBroke(this.#tooMuch()))
  }

  #tooMuch(): string {
    return `it takes more than ${this.#options.mostMegabytes} MB`
  }

  #take({ result, error, ends }: ChildReply): void {
    const task = this.#settled()
    if (ends) this.#drop()
    else {
      this.#refer(false)
      this.#timers.push(setTimeout(() => this.#drop(), mostIdleMs).unref())
    }
    if (error === undefined) task?.done.resolve(result)
    else task?.done.reject(new TaskBroke(error))
  }

  #end(reason: Error): void {
    const task = this.#settled()
    this.#drop()
    task?.done.reject(reason)
  }

  #settled(): Task | undefined {
    this.#still()
    const task = this.#task
    this.#task = undefined
    return task
  }

  #still(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer)
  }

  /** An idle process does not keep the parent alive. */
  #refer(isNeeded: boolean): void {
    const [process, channel] = [this.#process, this.#process?.channel]
    const pipes = [process?.stdout, process?.stderr] as (Socket | null | undefined)[]
    for (const each of [process, channel, ...pipes]) isNeeded ? each?.ref() : each?.unref()
  }

  #drop(): void {
    const process = this.#process
    this.#process = undefined
    this.#isReady = false
    this.#still()
    process?.kill('SIGKILL')
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findNote } from '../../../services/sandbox/note.ts'
import { scratchTree } from '../../scratch-tree.ts'
import { silentUpstreams } from '../../silent-upstreams.ts'
import { until } from '../../until.ts'

const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Starts the sandbox three times, so it belongs to the long form. */
it.skipIf(!process.env.LONG_FORM)(
  'npm run dev begins again with every change, outlives a broken one, and keeps its books',
  async () => {
    const tree = scratchTree()
    const [, ...args] = scripts.dev.split(' ')
    const env = { ...process.env, ...silentUpstreams, PORT: '0', STORE_PORT: '0', STORE_TCP_PORT: '0' }
    const dev = spawn(process.execPath, args, {
      cwd: tree,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const group = -(dev.pid as number)
    onTestFinished(() => {
      if (alive(group)) process.kill(group, 'SIGKILL')
    })
    let said = ''
    for (const stream of [dev.stdout, dev.stderr]) stream.on('data', text => (said += text))
    const file = join(tree, 'services/sandbox/banner.ts')
    const text = readFileSync(file, 'utf8')
    const books = () =>
      globSync('data/sandbox/*/log.db', { cwd: tree }).map(log => statSync(join(tree, log)).ino)

    await until(() => said.includes('Ctrl-C stops everything.'), 'the banner', 60_000)
    const before = { note: await findNote(join(tree, 'data/sandbox')), books: books() }
    writeFileSync(file, text.replace('Ctrl-C stops everything.', 'Ctrl-C ends all of it.'))
    await until(() => said.includes('Ctrl-C ends all of it.'), 'the changed banner', 60_000)
    await expect(fetch(before.note?.url ?? '')).rejects.toThrow()
    expect(books()).toEqual(before.books)

    writeFileSync(file, `${text}\n}`)
    // Node sees no change between the mistake and this line.
    await until(() => /SyntaxError.*Failed running/s.test(said), 'the mistake to be told', 60_000)
    said = ''
    writeFileSync(file, text)
    await until(() => said.includes('Ctrl-C stops everything.'), 'the banner again', 60_000)

    const exited = once(dev, 'exit')
    process.kill(group, 'SIGINT')
    await exited
    await until(() => !alive(group), 'everything that it started to be gone')
    expect(await findNote(join(tree, 'data/sandbox'))).toBeUndefined()
  },
)

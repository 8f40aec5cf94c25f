import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { scratchFolder } from '../scratch.ts'
import { deployed } from './queries.ts'

/** Every image begins with it. */
const stage = deployed('Dockerfile')
  .split(/^FROM /m)
  .find(text => text.includes(' AS service')) as string
const copied = [...stage.matchAll(/^COPY (?!--)(\S+) (\S+)$/gm)].map(
  ([, from, to]) => [from, to] as [string, string],
)
const leftOut = readFileSync('.dockerignore', 'utf8')
  .split('\n')
  .filter(line => line && line !== '*' && !line.startsWith('!'))
  .map(path => resolve(path))

/** Links the packages that `npm ci --omit=dev` installs. */
function linkPackages(folder: string): void {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>
  }
  for (const [path, { dev, optional }] of Object.entries(packages)) {
    if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || dev || optional) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(resolve(path), join(folder, path))
  }
}

it('an empty folder with the files of the Dockerfile is the whole service', () => {
  expect(copied.map(([from]) => from)).toContain('services')
  const folder = scratchFolder()
  for (const [from, to] of copied)
    cpSync(from, join(folder, to === './' ? from : to), {
      recursive: true,
      filter: path => !leftOut.some(left => resolve(path).startsWith(left)),
    })
  linkPackages(folder)
  const command = /^CMD (\[.*\])$/m.exec(stage)?.[1] as string
  const [program, ...arguments_] = JSON.parse(command) as [string, ...string[]]
  expect(program).toBe('node')
  // Every module is loaded before the environment is checked, so the refusal shows that no module is missing.
  const { status, stderr } = spawnSync(process.execPath, arguments_, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', DATA_DIR: join(folder, 'data'), PORT: 'eight' },
  })
  expect(stderr).toMatch(/^PORT is "eight"; it should be /)
  expect(status).toBe(1)
})

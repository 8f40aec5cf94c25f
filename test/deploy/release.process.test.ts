/** A release of a copy of the tree: one command, a commit and a tag. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { scratchFolder } from '../scratch.ts'

const files = [
  ...[
    'package.json',
    'package-lock.json',
    'CHANGELOG.md',
    '.gitignore',
    'services/client/package.json',
    '.ci/release.ts',
  ],
  ...['deploy/README.md', 'deploy/kubernetes/base/kustomization.yaml'],
]

it('a release writes the version wherever it stands, and tags it with what is new', () => {
  const folder = scratchFolder()
  for (const file of files) cpSync(file, join(folder, file), { recursive: true })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
  git('init', '--quiet')
  git('config', 'user.name', 'a release')
  git('config', 'user.email', 'release@example.org')
  const commit = (words: string) => {
    git('add', '--all')
    git('commit', '--quiet', '--message', words)
  }
  commit('the tree')
  const release = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['.ci/release.ts', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
    return { status, said: stdout + stderr }
  }
  const changelog = join(folder, 'CHANGELOG.md')
  const before = readFileSync(changelog, 'utf8')

  expect(release('9.8.7')).toMatchObject({ status: 1, said: expect.stringContaining('has no "## Next"') })
  expect(release('0.0.1').said).toContain('is not newer')
  writeFileSync(changelog, before.replace(/^## /m, '## Next\n\n- Something new.\n\n## '))
  expect(release('9.8.7').said).toContain('not clean')
  commit('what is new')
  expect(release('9.8.7')).toMatchObject({ status: 0 })

  expect(git('status', '--porcelain')).toBe('')
  expect(git('tag', '--list', '--format', '%(contents)', 'v9.8.7')).toContain('- Something new.')
  for (const file of files.filter(name => !/CHANGELOG|release|ignore/.test(name)))
    expect([file, readFileSync(join(folder, file), 'utf8').includes('9.8.7')]).toEqual([file, true])
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  expect([lock.version, lock.packages[''].version]).toEqual(['9.8.7', '9.8.7'])
  expect(readFileSync(join(folder, 'deploy/README.md'), 'utf8')).not.toContain(
    `FAREBOX_VERSION=${manifest.version}`,
  )
  expect(release('--check', '9.8.7').status).toBe(0)
  expect(release('--notes', '9.8.7').said.trim()).toBe('- Something new.')
  expect(release('--check', '9.8.8').status).toBe(1)
  expect(release('9.8.7').said).toContain('is not newer')
})

it('the workflows name what is there', () => {
  const told = ['check', 'release'].map(name => {
    const text = readFileSync(`.github/workflows/${name}.yaml`, 'utf8')
    return { text, jobs: Object.values((parse(text) as { jobs: Record<string, object> }).jobs) }
  })
  const targets = [
    ...readFileSync('deploy/Dockerfile', 'utf8').matchAll(/^FROM \S+ AS (service|render|all)$/gm),
  ]
  for (const [, target] of targets) for (const { text } of told) expect(text).toContain(target)
  expect(targets).toHaveLength(3)
  for (const { text } of told) expect(text).toContain('run: .ci/run')
  expect(dirname('.ci/run')).toBe('.ci')
})

it('the workflows are such as their forge takes, by actionlint where it is installed', ({ skip }) => {
  const lint = (name: string, input: string) =>
    spawnSync('actionlint', ['-no-color', '-stdin-filename', name, '-'], { input, encoding: 'utf8' })
  for (const name of ['check', 'release']) {
    const path = `.github/workflows/${name}.yaml`
    const text = readFileSync(path, 'utf8')
    const { error, status, stdout } = lint(path, text)
    if (error) skip('actionlint is not installed')
    expect([status, stdout]).toEqual([0, ''])
    expect(lint(path, text.replaceAll('github.ref', 'github.reff')).status).toBe(1)
  }
})

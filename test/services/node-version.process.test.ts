import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { scratchFolder } from '../scratch.ts'

const top = new URL('../../', import.meta.url)
const text = (name: string) => readFileSync(new URL(name, top), 'utf8')
const { engines, scripts, devDependencies } = JSON.parse(text('package.json')) as {
  engines: { node: string }
  scripts: Record<string, string>
  devDependencies: { node: string }
}
const needed = Number(engines.node.replace('>=', ''))

function startedBy(version: string) {
  const versions = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
  const pretend = `data:text/javascript,${encodeURIComponent(versions)}`
  const args = ['--import', pretend, '--import', './services/node-version.js', '--print', '"started"']
  return spawnSync(process.execPath, args, { cwd: fileURLToPath(top), encoding: 'utf8' })
}

it('a Node that is too old prints one line with the version that is needed', () => {
  const { status, stdout, stderr } = startedBy(`${needed - 1}.9.9`)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(
    new RegExp(`^Farebox needs Node ${needed} or newer, and this is Node ${needed - 1}.9.9.*\n$`),
  )
})

it.each([`${needed}.0.0`, `${needed + 2}.1.0`])('Node %s is let through', version => {
  expect(startedBy(version)).toMatchObject({ status: 0, stdout: 'started\n', stderr: '' })
})

it('a sandbox without the packages of development says which are missing', () => {
  const folder = scratchFolder()
  const program = 'services/sandbox/main.ts'
  for (const name of ['package.json', 'services/node-version.js', program])
    cpSync(new URL(name, top), join(folder, name), { recursive: true })
  const args = ['--import', './services/node-version.js', program]
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^The sandbox needs its chains.*\n$/),
  })
})

it('every script that starts TypeScript checks its Node first', () => {
  const starting = Object.entries(scripts).filter(
    ([name, script]) => name !== 'check' && /\bnode .*\.ts\b/.test(script),
  )
  expect(starting.length).toBeGreaterThan(0)
  for (const [, script] of starting) expect(script).toMatch(/^node --import \.\/services\/node-version\.js /)
})

it('Node is one version for the engines, the install, nvm and the image', () => {
  const [, installed] = /^\^((\d+)\.\d+)\./.exec(devDependencies.node) ?? []
  expect(installed?.split('.')[0]).toBe(String(needed))
  expect(text('.nvmrc').trim()).toBe(String(needed))
  const images = [...text('deploy/Dockerfile').matchAll(/^ARG NODE\w*=(\S+)/gm)].map(([, image]) => image)
  expect(images).toHaveLength(2)
  for (const image of images)
    expect(image).toMatch(new RegExp(`^node:${installed}\\.\\d+-bookworm(-slim)?@sha256:[0-9a-f]{64}$`))
})

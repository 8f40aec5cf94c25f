import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const file = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const { packages } = JSON.parse(file('package-lock.json')) as {
  packages: Record<string, { name?: string; dev?: boolean; devOptional?: boolean; resolved?: string }>
}
const { dependencies, devDependencies } = JSON.parse(file('package.json')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>

// npm installs a dev package in production too, when it is an optional peer of a production package.
it('a production install takes no package that only development needs', () => {
  expect(Object.keys(packages).filter(path => packages[path]?.devOptional)).toEqual([])
})

it('a production install leaves out every dev package', () => {
  // web3.js declares its types as code, and the SDK of MCP carries a server that is not opened here.
  const declaredByOthers = ['@types/node', 'express']
  const installed = Object.keys(devDependencies).filter(name => !packages[`node_modules/${name}`]?.dev)
  expect(installed).toEqual(declaredByOthers)
})

it('package.json names no package twice', () => {
  expect(Object.keys(dependencies).filter(name => name in devDependencies)).toEqual([])
})

it('the lock file names no registry, so npm asks the one that the machine is set to', () => {
  expect(Object.keys(packages).filter(path => packages[path]?.resolved)).toEqual([])
})

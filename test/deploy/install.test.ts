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

// npm installs a package of development in production too when it is an optional peer of some other package there.
it('an install for production takes nothing that only development asks for', () => {
  expect(Object.keys(packages).filter(path => packages[path]?.devOptional)).toEqual([])
})

it('each package of development is left out of an install for production', () => {
  // web3.js declares its types as code, and the SDK of MCP carries a server that is not opened here.
  const declaredByOthers = ['@types/node', 'express']
  const installed = Object.keys(devDependencies).filter(name => !packages[`node_modules/${name}`]?.dev)
  expect(installed).toEqual(declaredByOthers)
})

it('no package is asked for twice', () => {
  expect(Object.keys(dependencies).filter(name => name in devDependencies)).toEqual([])
})

it('the lock file names no registry, so the one that the machine is set to is asked', () => {
  expect(Object.keys(packages).filter(path => packages[path]?.resolved)).toEqual([])
})

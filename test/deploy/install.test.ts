import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const file = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const { packages } = JSON.parse(file('package-lock.json')) as {
  packages: Record<string, Locked>
}
const { dependencies, devDependencies, optionalDependencies } = JSON.parse(file('package.json')) as Record<
  'dependencies' | 'devDependencies' | 'optionalDependencies',
  Record<string, string>
>

interface Locked {
  name?: string
  dev?: boolean
  devOptional?: boolean
  resolved?: string
  engines?: object
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** The paths of these packages and of everything that they need. */
function withNeeds(names: readonly string[], found = new Set<string>()): Set<string> {
  for (const path of names.map(name => `node_modules/${name}`)) {
    if (found.has(path)) continue
    found.add(path)
    const { dependencies, optionalDependencies } = packages[path] ?? {}
    withNeeds(Object.keys({ ...dependencies, ...optionalDependencies }), found)
  }
  return found
}

// npm installs a dev package in production, too, if it is an optional peer of a production package.
it('a production install takes no package of development', () => {
  const optional = withNeeds(Object.keys(optionalDependencies))
  const shared = Object.keys(packages).filter(path => packages[path]?.devOptional)
  expect(shared.filter(path => !optional.has(path))).toEqual([])
})

it('a production install leaves out every dev package', () => {
  // web3.js lists its types as a dependency, and MCP's SDK lists a server that nothing opens here.
  const declaredByOthers = ['@types/node', 'express']
  const installed = Object.keys(devDependencies).filter(name => !packages[`node_modules/${name}`]?.dev)
  expect(installed).toEqual(declaredByOthers)
})

// Node 24 comes with the packages, but npm judges an optional package by the Node that it runs on.
it('no npm leaves an optional package out for its Node', () => {
  const engines = Object.keys(optionalDependencies).map(name => packages[`node_modules/${name}`]?.engines)
  expect(engines).toEqual(engines.map(() => undefined))
})

it('package.json names no package twice', () => {
  expect(Object.keys(dependencies).filter(name => name in devDependencies)).toEqual([])
})

/** What a package finds: beside itself, or further up. */
function placeOf(name: string, from: string): string | undefined {
  const at = from ? `${from}/node_modules/${name}` : `node_modules/${name}`
  if (packages[at]) return at
  return from ? placeOf(name, from.replace(/(^|\/)node_modules\/[^/]+(\/[^/]+)?$/, '')) : undefined
}

// npm writes those of its own machine alone, where it finds a folder of packages beside the lock file.
it('the lock file has the packages of every platform', () => {
  const lacking = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(name => !placeOf(name, path)),
  )
  expect(lacking).toEqual([])
  expect(packages['node_modules/@chdb/lib-darwin-arm64']).toBeDefined()
})

it('the lock file names no registry, so npm asks the one of the machine', () => {
  expect(Object.keys(packages).filter(path => packages[path]?.resolved)).toEqual([])
})

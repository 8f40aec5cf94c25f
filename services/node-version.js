// Loaded before everything else, and JavaScript, so that a Node that cannot read TypeScript says so in one line.
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const needed = Number.parseInt(engines.node.replace('>=', ''), 10)

if (Number.parseInt(process.versions.node, 10) < needed) {
  console.error(
    `Farebox needs Node ${needed} or newer, and this is Node ${process.versions.node}: npm ci brings one for npm scripts, unless packages of development or install scripts are left out`,
  )
  process.exit(1)
}

// What one start has compiled, the next one reads back. Where the folder cannot be written, it just takes longer.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)))

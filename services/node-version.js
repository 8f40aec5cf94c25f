// Runs before everything else. It is JavaScript, so that a Node without TypeScript gets a clear line instead of a syntax error.
import { existsSync, readFileSync } from 'node:fs'
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

// A module that is missing would be told by its name, and not by what brings it.
const isSandbox = /[\\/]services[\\/]sandbox[\\/]/.test(process.argv[1] ?? '')
if (isSandbox && !existsSync(new URL('../node_modules/@foundry-rs/anvil', import.meta.url))) {
  console.error(
    'The sandbox needs its chains, which are packages of development: run npm ci without --omit=dev. npm run serve does without them',
  )
  process.exit(1)
}

// Keeps compiled code for the next start. If the folder cannot be written, a start only takes longer.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)))

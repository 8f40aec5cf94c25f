// Loaded before everything else, and JavaScript, so that a Node that cannot read TypeScript says so in one line.
import { readFileSync } from 'node:fs'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const needed = Number.parseInt(engines.node.replace('>=', ''), 10)

if (Number.parseInt(process.versions.node, 10) < needed) {
  console.error(
    `Farebox needs Node ${needed} or newer, and this is Node ${process.versions.node}: npm ci brings one for npm scripts, unless packages of development or install scripts are left out`,
  )
  process.exit(1)
}

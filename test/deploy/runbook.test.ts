/** deploy/README.md as an operator follows it at night: everything that it names exists, and he may read it. */
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { datasets } from '../../schemas/index.ts'
import { deployed } from './queries.ts'

const readme = deployed('README.md')
const told = (form: RegExp) => [...new Set([...readme.matchAll(form)].map(([, found = '']) => found))]

describe('the document for operators', () => {
  it('asks the store only for what analysts may read', () => {
    const open = datasets.filter(({ audience }) => audience === undefined || audience === 'analysts')
    const names = new Set(open.flatMap(({ name, views }) => [name, ...views.map(view => view.name)]))
    const asked = told(/\bselect\b[^`]*?\bfrom\s+(\w+)/g)
    expect(asked.length).toBeGreaterThan(3)
    expect(asked.filter(name => !names.has(name))).toEqual([])
  })

  it('reads existing topics, from their beginning', () => {
    const topics = new Set(datasets.map(({ topic }) => topic.name))
    const tails = told(/(?:npm run log --|log\.ts)\s+tail\s+(<?[\w.]+>?)/g)
    expect(tails.length).toBeGreaterThan(3)
    expect(tails.filter(name => name !== '<topic>' && !topics.has(name))).toEqual([])
    for (const [, options = ''] of readme.matchAll(/npm\srun\slog\s--\stail\s([^`]+)`/g))
      expect(options.replaceAll(/\s+/g, ' ')).toMatch(/--from beginning|^(<topic>|settlements)$/)
  })

  it('names every variable of compose', () => {
    const taken = [
      ...new Set([...deployed('compose.yaml').matchAll(/\$\{([A-Z_\d]+)/g)].map(([, name]) => name)),
    ]
    expect(taken.length).toBeGreaterThan(60)
    expect(taken.filter(name => !new RegExp(`\\b${name}\\b`).test(readme))).toEqual([])
  })

  it('names existing commands and files', () => {
    const commands = told(/npm run (?:-s )?([\w:-]+)/g)
    expect(commands.filter(name => !(name in manifest.scripts))).toEqual([])
    const files = told(/`((?:deploy|services|test|schemas)\/[\w./-]+\.(?:ts|sh|yaml|xml|json|md))`/g)
    expect(files.filter(name => !existsSync(new URL(`../../${name}`, import.meta.url)))).toEqual([])
  })
})

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { installed } from './prometheus.ts'
import { rules as alerts, deployed } from './queries.ts'

const readme = deployed('README.md')

describe('every alert', () => {
  it.each(alerts)(
    '$alert says how bad it is, what it means and where to go on',
    ({ alert, labels, annotations }) => {
      expect(['critical', 'warning']).toContain(labels.severity)
      expect(annotations?.summary).toBeTruthy()
      expect(annotations?.description).toMatch(/\.$/)
      expect(annotations?.runbook).toBe(`deploy/README.md#${alert.toLowerCase()}`)
      expect(readme).toMatch(new RegExp(`^#### ${alert}\n\n\\S`, 'm'))
    },
  )

  it('is the only kind that the runbook knows', () => {
    const told = [...readme.matchAll(/^#### (\w+)$/gm)].map(([, name]) => name)
    expect(told.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted())
  })
})

const able = installed('promtool')

describe.skipIf(!able)(able ? 'promtool' : 'promtool, which is not installed', () => {
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  it('accepts the configuration and the rules', () => {
    const said = execFileSync('promtool', ['check', 'config', path('../../deploy/prometheus.yaml')])
    expect(String(said)).toContain(`${alerts.length} rules found`)
  })

  it('sees every alert fire when it should and rest when it should', () => {
    const tested = String(execFileSync('promtool', ['test', 'rules', path('alerts.yaml')]))
    expect(tested).toContain('SUCCESS')
  })
})

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { installed } from './prometheus.ts'
import { alerts, deployed, recorded } from './queries.ts'

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

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

describe.skipIf(!able)(able ? 'promtool' : 'promtool, which is not installed', () => {
  it('accepts the configuration and the rules', () => {
    const said = execFileSync('promtool', ['check', 'config', path('../../deploy/prometheus.yaml')])
    const found = [...String(said).matchAll(/(\d+) rules found/g)].map(([, rules]) => Number(rules))
    expect(found.reduce((sum, rules) => sum + rules, 0)).toBe(alerts.length + recorded.length)
  })

  it('sees every alert fire when it should and rest when it should', () => {
    const histories = ['alerts.yaml', 'alerts-of-days.yaml'].map(path)
    const tested = String(execFileSync('promtool', ['test', 'rules', ...histories]))
    expect(tested.match(/SUCCESS/g)).toHaveLength(histories.length)
  })
})

const told = installed('amtool')

describe.skipIf(!told)(told ? 'amtool' : 'amtool, which is not installed', () => {
  const file = path('../../deploy/alertmanager.yaml')

  it('accepts the receivers', () => {
    expect(String(execFileSync('amtool', ['check-config', file]))).toContain('SUCCESS')
  })

  it.each(alerts)('$alert reaches the receivers of its severity', ({ alert, labels }) => {
    const asked = Object.entries({ alertname: alert, ...labels }).map(([name, value]) => `${name}=${value}`)
    const receivers = execFileSync(
      'amtool',
      ['config', 'routes', 'test', `--config.file=${file}`, ...asked],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    expect(String(receivers).trim()).toBe(labels.severity === 'critical' ? 'pager,chat' : 'chat')
  })
})

it('each inhibition names alerts that exist', () => {
  const { inhibit_rules } = parse(deployed('alertmanager.yaml')) as {
    inhibit_rules: { source_matchers: string[]; target_matchers: string[] }[]
  }
  const names = alerts.map(({ alert }) => alert)
  for (const { source_matchers, target_matchers } of inhibit_rules)
    for (const matcher of [...source_matchers, ...target_matchers]) {
      const asked = /^alertname =(~?) "?([^"]+)"?$/.exec(matcher)
      if (!asked) continue
      for (const name of (asked[2] as string).split('|'))
        expect(
          names.filter(one => new RegExp(`^${name}$`).test(one)),
          matcher,
        ).not.toEqual([])
    }
})

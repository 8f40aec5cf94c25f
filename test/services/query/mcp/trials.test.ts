import { describe, expect, it, onTestFinished } from 'vitest'
import { mcpTrials } from '../../../../schemas/mcp-trials.ts'
import { Trials } from '../../../../services/query/mcp/trials.ts'
import { scratchFolder } from '../../../scratch.ts'
import { type Log, openTestLog } from '../../till/till-options.ts'
import { callerOf, clientOf, connected } from './connected.ts'

const noon = Date.parse('2026-11-22T12:00:00Z')

async function openDay(mostADay = 1000) {
  const log = await openTestLog(scratchFolder())
  const clock = { now: noon }
  const open = () => Trials.open({ log, now: () => clock.now, mostADay })
  const [here, there] = await Promise.all([open(), open()])
  onTestFinished(async () => {
    await Promise.all([here.close(), there.close()])
    await log.close()
  })
  return { log, clock, here, there, open }
}

async function written(log: Log): Promise<string> {
  let text = ''
  const watching = await log.watch(mcpTrials.topic, batch => {
    for (const { key, value } of batch) text += `${key} ${value}\n`
  })
  await watching.caughtUp
  await watching.close()
  return text
}

const takeMany = async (times: number, address: string, ...instances: Trials[]) =>
  (
    await Promise.all(
      Array.from({ length: times }, (_, i) => (instances[i % instances.length] as Trials).take(address)),
    )
  ).filter(trial => trial !== undefined)

describe('free calls', () => {
  it('are three for one caller, however many instances are asked at once', async () => {
    const { here, there } = await openDay()
    const taken = await takeMany(50, '203.0.113.7', here, there)
    expect(taken.map(({ left }) => left).sort()).toEqual([0, 1, 2])
    expect(await there.left('203.0.113.7')).toBe(0)
    expect(await there.left('203.0.113.8')).toBe(3)
  })

  it('are counted over a restart', async () => {
    const { here, open } = await openDay()
    await takeMany(2, '203.0.113.7', here)
    const later = await open()
    expect(await later.left('203.0.113.7')).toBe(1)
    await later.close()
  })

  it('begin anew with the UTC day', async () => {
    const { here, clock } = await openDay()
    await takeMany(3, '203.0.113.7', here)
    clock.now = Date.parse('2026-11-23T00:00:00Z')
    expect(await here.left('203.0.113.7')).toBe(3)
  })

  it('are given back when the call fails, a limited number of times', async () => {
    const { here } = await openDay()
    for (let i = 0; i < 30; i++) await (await here.take('203.0.113.7'))?.giveBack()
    expect(await here.take('203.0.113.7')).toBeUndefined()
  })

  it('that fail have an end for all callers together, from whatever network they come', async () => {
    const { here, there } = await openDay(20)
    let taken = 0
    for (let i = 0; i < 60; i++) {
      const trial = await (i % 2 ? here : there).take(`2001:db8:0:${i.toString(16)}::/64`)
      if (trial) taken++
      await trial?.giveBack()
    }
    // One instance learns a little later what the other gave back.
    expect(taken).toBeGreaterThanOrEqual(20)
    expect(taken).toBeLessThan(25)
  })

  it('have a limit for all callers together', async () => {
    const { here } = await openDay(2)
    for (const last of [1, 2]) expect(await here.take(`203.0.113.${last}`)).toBeDefined()
    expect(await here.take('203.0.113.3')).toBeUndefined()
  })

  it('leave no address in the log', async () => {
    const { here, log } = await openDay()
    await here.take('203.0.113.7')
    expect(await written(log)).toMatch(/2026-11-22\|[0-9a-f]{64} .*"take"/)
    expect(await written(log)).not.toContain('203.0')
  })

  it('are refused without a charge while the log takes no writes', async () => {
    const { here, log } = await openDay()
    await log.close()
    await expect(here.take('203.0.113.7')).rejects.toMatchObject({ code: 'log_unavailable' })
  })
})

it('behind a proxy the caller is who the proxy names', async () => {
  const { mcpUrl } = await connected({ trustProxy: true })
  const left = async (forwarded: string, uses: number) => {
    const call = callerOf(await clientOf(mcpUrl, { 'x-forwarded-for': forwarded }))
    for (let i = 0; i < uses; i++) await call('tried_echo')
    return (await call('try_it_free')).json.free_calls_left
  }
  expect(await left('203.0.113.7', 3)).toBe(0)
  expect(await left('203.0.113.8', 1)).toBe(2)
  expect(await left('::ffff:203.0.113.7', 0)).toBe(0)
  expect(await left('2001:db8:1:2::1', 3)).toBe(0)
  expect(await left('2001:db8:1:2:ffff::9', 0)).toBe(0)
  expect(await left('2001:db8:1:3::1', 0)).toBe(3)
})

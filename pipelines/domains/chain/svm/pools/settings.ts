/** Reads the options that the programs offer for new pools: their fee configurations and presets, an account each. */
import { derivedAddress, inTurns, u16Be, u16Le } from '../derived-address.ts'
import { look } from '../look.ts'
import type { SvmNodes } from '../nodes.ts'
import { clmmProgram, cpmmProgram, dlmmProgram, whirlpoolProgram, whirlpoolsConfig } from '../programs.ts'
import type { Settings } from './venue.ts'

/** The configurations are numbered. The programs have none yet beyond this number. */
const configs = 24
const presets = 120
const [firstTier, tiers] = [1024, 60]
/** Older presets have addresses that follow from their values. These are the values that pool makers use. */
const steps = [1, 2, 4, 5, 8, 10, 15, 16, 20, 25, 30, 50, 80, 100, 125, 150, 160, 200, 250, 400]
const factors = [5000, 8000, 10_000, 12_500, 15_000, 20_000, 50_000]

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)

export async function settingsOf(nodes: SvmNodes): Promise<Settings> {
  const clmm = await inTurns(upTo(configs), i => derivedAddress(clmmProgram, 'amm_config', u16Be(i)))
  const cpmm = await inTurns(upTo(configs), i => derivedAddress(cpmmProgram, 'amm_config', u16Be(i)))
  const adaptive = await inTurns(upTo(tiers), i => ({
    tier: firstTier + i,
    at: derivedAddress(whirlpoolProgram, 'fee_tier', { key: whirlpoolsConfig }, u16Le(firstTier + i)),
  }))
  const numbered = await inTurns(upTo(presets), i =>
    derivedAddress(dlmmProgram, 'preset_parameter2', u16Le(i)),
  )
  const values = steps.flatMap(step => factors.map(factor => ({ step, factor })))
  const valued = await inTurns(values, preset => ({
    at: derivedAddress(dlmmProgram, 'preset_parameter', u16Le(preset.step), u16Le(preset.factor)),
    preset,
  }))
  const all = [...adaptive.map(({ at }) => at), ...clmm, ...cpmm, ...numbered, ...valued.map(({ at }) => at)]
  const { account } = await look(nodes, all, { apart: true })
  const isOf = (program: string) => (at: string) => account(at)?.program === program
  return {
    adaptiveTiers: adaptive.filter(({ at }) => isOf(whirlpoolProgram)(at)).map(({ tier }) => tier),
    clmmConfigs: clmm.filter(isOf(clmmProgram)),
    cpmmConfigs: cpmm.filter(isOf(cpmmProgram)),
    dlmmPresets: [
      ...numbered.filter(isOf(dlmmProgram)).map(key => ({ key })),
      ...valued.filter(({ at }) => isOf(dlmmProgram)(at)).map(({ preset }) => preset),
    ],
  }
}

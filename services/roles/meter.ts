/** The meter role turns settlements into metrics. */
import { startMeter } from '../../pipelines/meter.ts'
import { settlements } from '../../schemas/settlements.ts'
import type { Process } from './process.ts'

export async function openMeter({ lifecycle, log, parts }: Process): Promise<void> {
  await lifecycle.run('meter', () => startMeter(log))
  parts.groups.push({ topic: settlements.topic, group: 'meter' })
}

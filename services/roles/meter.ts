/** The meter role turns settlements into metrics. */
import { startMeter } from '../../pipelines/meter.ts'
import { settlements } from '../../schemas/settlements.ts'
import type { Process } from './process.ts'

const close = (opened: { close(): Promise<void> }) => opened.close()

export async function openMeter({ lifecycle, log, guard, parts }: Process): Promise<void> {
  await lifecycle.open('meter', async () => guard(await startMeter(log)), close)
  parts.groups.push({ topic: settlements.topic, group: 'meter' })
}

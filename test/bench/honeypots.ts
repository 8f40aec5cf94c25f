/** Which traps a check tells, and which honest tokens it accuses, on an anvil with the router of Uniswap: a table of all kinds. */
import type { TokenCheck } from '../../pipelines/domains/chain/reader.ts'
import {
  checkOf,
  evasive,
  honest,
  isAccused,
  isTold,
  untold,
  withHoneypots,
} from '../pipelines/domains/chain/honeypots.ts'
import { startMarket } from '../pipelines/domains/chain/market.ts'

export async function honeypots(): Promise<void> {
  const market = await startMarket()
  try {
    await withHoneypots(market)
    const traps = [...evasive.map((name, i) => [i + 1, name] as const), ...Object.entries(untold)]
    const told: boolean[] = []
    for (const [kind, name] of traps) {
      const check = await checkOf(market, 'Evasive', [BigInt(kind)])
      told.push(isTold(check))
      console.log(row(`trap: ${name}`, isTold(check) ? 'told' : 'NOT TOLD', check))
    }
    const accused: boolean[] = []
    for (const { name, contract, args, decimals } of honest) {
      const check = await checkOf(market, contract, args, decimals)
      accused.push(isAccused(check))
      console.log(row(`honest: ${name}`, isAccused(check) ? 'ACCUSED' : 'not accused', check))
    }
    const count = (all: readonly boolean[]) => `${all.filter(Boolean).length} of ${all.length}`
    console.log(`traps told: ${count(told)}; honest tokens accused: ${count(accused)}`)
  } finally {
    await market.close()
  }
}

const row = (name: string, end: string, { warnings }: TokenCheck): string =>
  `| ${name} | ${end} | ${warnings.map(({ code }) => code).join(', ')} |`

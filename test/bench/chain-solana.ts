/**
 * What the reader says that a swap brings, against the swap that the programs of mainnet execute in a Solana VM. The
 * programs are not part of this project: SOLANA_PROGRAMS names a folder of their .so files, each named by its address.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  ammV4Program,
  clmmProgram,
  cpmmProgram,
  dlmmProgram,
  whirlpoolProgram,
} from '../../pipelines/domains/chain/svm/programs.ts'
import { anAmmV4 } from './solana-swaps/amm-v4.ts'
import { aClmm } from './solana-swaps/clmm.ts'
import { aCpmm } from './solana-swaps/cpmm.ts'
import { aDlmm } from './solana-swaps/dlmm.ts'
import { openVm } from './solana-swaps/vm.ts'
import { aWhirlpool } from './solana-swaps/whirlpool.ts'

const kinds = [
  { name: 'whirlpool', program: whirlpoolProgram, build: aWhirlpool },
  { name: 'raydium_cpmm', program: cpmmProgram, build: aCpmm },
  { name: 'raydium_amm', program: ammV4Program, build: anAmmV4 },
  { name: 'raydium_clmm', program: clmmProgram, build: aClmm },
  { name: 'meteora_dlmm', program: dlmmProgram, build: aDlmm },
]
const pools = 200

export async function chainSolana(): Promise<void> {
  const folder = process.env.SOLANA_PROGRAMS ?? ''
  for (const { name, program, build } of kinds) {
    const file = join(folder, `${program}.so`)
    if (!folder || !existsSync(file)) {
      console.log(`Solana, ${name}: skipped, because SOLANA_PROGRAMS names no folder with ${program}.so`)
      continue
    }
    const vm = openVm([{ program, file }])
    const tried = Array.from({ length: pools }, () => vm.off(build(vm)))
    const off = tried.filter(part => part !== undefined).sort((a, b) => a - b)
    const at = (part: number) => `${((off[Math.floor((off.length - 1) * part)] ?? 0) * 100).toPrecision(2)} %`
    console.log(
      `Solana, ${name}: ${off.length} pools and swaps, ${tried.length - off.length} more refused by the program; off by ${at(0.5)} in the middle, ${at(1)} at most (reach: 0.1 %)`,
    )
  }
}

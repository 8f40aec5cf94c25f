/** Compiles the contracts. The result is committed, so only this command needs a compiler. */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The contracts of the sandbox, and those that the service lends to a node for one call. */
export const rooms = [
  { folder: at('.'), sources: ['usdc.sol', 'multicall.sol', 'market.sol'] },
  {
    folder: at('../../../pipelines/domains/chain/evm/contracts'),
    sources: ['v4.sol', 'quotes.sol', 'trial.sol', 'prober.sol'],
  },
]

/** Contracts whose constructor does the work. The others have no constructor, so their code is placed as it is. */
const created = new Set(['Quotes', 'PlayToken'])

interface Compiled {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<
    string,
    Record<string, { evm: { bytecode: { object: string }; deployedBytecode: { object: string } } }>
  >
}

/** Maps each contract of a room to its code, in hex. */
export function compile({ folder, sources }: (typeof rooms)[number]): Record<string, string> {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      sources.map(name => [basename(name), { content: readFileSync(join(folder, name), 'utf8') }]),
    ),
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Compiled
  const broken = output.errors?.filter(error => error.severity === 'error') ?? []
  if (broken.length) throw new Error(broken.map(error => error.formattedMessage).join('\n'))
  const code: Record<string, string> = {}
  for (const file of Object.values(output.contracts))
    for (const [name, { evm }] of Object.entries(file)) {
      const { object } = created.has(name) ? evm.bytecode : evm.deployedBytecode
      if (object) code[name.toLowerCase()] = `0x${object}`
    }
  return code
}

export const bytecodeOf = ({ folder }: (typeof rooms)[number]) => join(folder, 'bytecode.json')

if (import.meta.main)
  for (const room of rooms) writeFileSync(bytecodeOf(room), `${JSON.stringify(compile(room), null, 2)}\n`)

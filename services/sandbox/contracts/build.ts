/** Compiles the contracts into bytecode.json. That file is committed, so that the sandbox starts without a compiler. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

interface Compiled {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { evm: { deployedBytecode: { object: string } } }>>
}

/** Maps each contract name to the code at its address, in hex. */
export function compile(): Record<string, string> {
  const files = ['usdc.sol', 'multicall.sol']
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map(name => [name, { content: readFileSync(here(name), 'utf8') }])),
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Compiled
  const broken = output.errors?.filter(error => error.severity === 'error') ?? []
  if (broken.length) throw new Error(broken.map(error => error.formattedMessage).join('\n'))
  const code: Record<string, string> = {}
  for (const file of Object.values(output.contracts))
    for (const [name, { evm }] of Object.entries(file))
      if (evm.deployedBytecode.object) code[name.toLowerCase()] = `0x${evm.deployedBytecode.object}`
  return code
}

if (import.meta.main) writeFileSync(here('bytecode.json'), `${JSON.stringify(compile(), null, 2)}\n`)

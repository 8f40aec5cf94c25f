/** Decodes accounts of Solana's mainnet, as recorded from a node. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Bytes } from '../../../../../pipelines/domains/chain/svm/bytes.ts'
import { derivedAddress, u16Be, u16Le } from '../../../../../pipelines/domains/chain/svm/derived-address.ts'
import { clmm } from '../../../../../pipelines/domains/chain/svm/pools/clmm.ts'
import { whirlpool } from '../../../../../pipelines/domains/chain/svm/pools/whirlpool.ts'
import { midOf } from '../../../../../pipelines/domains/chain/svm/priced-pool.ts'
import {
  clmmProgram,
  dlmmProgram,
  usdcMint,
  whirlpoolProgram,
  wrappedSol,
} from '../../../../../pipelines/domains/chain/svm/programs.ts'
import { tokenAccount } from '../../../../../pipelines/domains/chain/svm/token/account.ts'
import { mintIn } from '../../../../../pipelines/domains/chain/svm/token/mint.ts'
import { transfersIn } from '../../../../../pipelines/domains/chain/svm/transaction/transfers.ts'
import { testRecorded } from '../../../../samples.ts'

interface Recorded {
  pubkey: string
  account: { owner: string; data: [string, string] }
}

const clock = { slot: 0, epoch: 0n, unixSeconds: 0 }
const settings = { adaptiveTiers: [], clmmConfigs: [], cpmmConfigs: [], dlmmPresets: [] }

function accountOf(samples: string, name: string) {
  const folder = join(samples, 'siblings', 'solana')
  const file = readdirSync(folder).find(one => one.startsWith(`${name}.`)) as string
  const { pubkey, account } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recorded
  return { at: pubkey, owner: account.owner, data: new Bytes(Buffer.from(account.data[0], 'base64')) }
}

testRecorded.for([
  ['sol_usdc_wp', wrappedSol, 9, '40.36'],
  ['samo_usdc_wp', '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU', 9, '0.01523'],
] as const)('prices the token of %s', ([name, token, decimals, price], { samples }) => {
  const { at, data } = accountOf(samples, `${name}_whirlpool`)
  expect(whirlpool.addresses(token, usdcMint, settings)).toContain(at)
  const state = whirlpool.state(at, data)
  const pool = state?.pool(new Map(), clock)
  if (!state || !pool) throw new Error('it is no pool')
  expect([...state.mints].sort()).toEqual([token, usdcMint].sort())
  const side = state.mints[0] === token ? 0 : 1
  expect(midOf(pool, side, decimals, 6).toSignificantDigits(4).toFixed()).toBe(price)
  const vaults = [accountOf(samples, `${name}_vault_a`), accountOf(samples, `${name}_vault_b`)]
  expect(state.vaults).toEqual(vaults.map(vault => vault.at))
  expect(vaults.map(vault => tokenAccount(vault.data)?.mint)).toEqual(state.mints)
  expect(vaults.map(vault => tokenAccount(vault.data)?.owner)).toEqual([at, at])
})

testRecorded('derives the addresses of configurations and presets', ({ samples }) => {
  const config = accountOf(samples, 'raydium_clmm_config_4')
  expect(derivedAddress(clmmProgram, 'amm_config', u16Be(4))).toBe(config.at)
  expect(config.data.u32(47)).toBe(100)
  const preset = accountOf(samples, 'meteora_preset_param_1')
  const [step, factor] = [preset.data.u16(8), preset.data.u16(10)]
  expect([step, factor]).toEqual([10, 10_000])
  expect(derivedAddress(dlmmProgram, 'preset_parameter', u16Le(step), u16Le(factor))).toBe(preset.at)
  const tier = accountOf(samples, 'whirlpools_config_feetier64')
  const whole = accountOf(samples, 'whirlpools_config')
  expect(derivedAddress(whirlpoolProgram, 'fee_tier', { key: whole.at }, u16Le(64))).toBe(tier.at)
})

testRecorded('reads mints', ({ samples }) => {
  const mint = (name: string) => {
    const { owner, data } = accountOf(samples, name)
    return mintIn(owner, data)
  }
  expect(mint('token_usdc')).toMatchObject({ program: 'spl-token', decimals: 6, extensions: [] })
  expect(mint('token_usdc')?.freezeAuthority).toBe('3sNBr7kMccME5D55xNgsmYpZnzPgP2g12CixAajXypn6')
  expect(mint('token_samo')).toMatchObject({ decimals: 9, mintAuthority: null, freezeAuthority: null })
  expect(mint('sol_usdc_wp_vault_a')).toBeUndefined()
  expect(clmm.mark).not.toEqual(whirlpool.mark)
})

testRecorded('tells what a transaction moved', ({ samples }) => {
  const file = join(samples, 'g-onchain', 'solana-getTransaction-relayed-usdc-2023.json')
  const transaction = JSON.parse(readFileSync(file, 'utf8')).result
  const [payer, giver, taker] = [
    'FG4Y3yX4AAchp1HvNZ7LfzFTewF2f6nDoMDCohTFrdpT',
    '8fusVwhgo4oS1fGpZKeRaXrJXQk9auKnAgcj9A97wR3t',
    '3i476kTBBTy7pBGx4CXwJpJ6phuwLQgcwLTdHhU3c7ui',
  ]
  // The payer opens the taker's account in an inner instruction.
  expect(transfersIn(transaction)).toMatchObject([
    { standard: 'native', from: payer, amount: '0.00203928' },
    { standard: 'spl', symbol: 'USDC', from: giver, to: taker, amount: '0.001' },
  ])
})

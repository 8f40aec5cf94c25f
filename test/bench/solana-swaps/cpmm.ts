import { PublicKey } from '@solana/web3.js'
import { cpmm } from '../../../pipelines/domains/chain/svm/pools/cpmm.ts'
import { cpmmProgram, tokenProgram } from '../../../pipelines/domains/chain/svm/programs.ts'
import { account } from '../../pipelines/domains/chain/svm/account-writer.ts'
import { layCpmm, layCpmmConfig } from '../../pipelines/domains/chain/svm/pool-writer.ts'
import {
  anyAmount,
  aPair,
  between,
  derived,
  eitherSide,
  input,
  meta,
  newKey,
  random,
  type Swap,
  spread,
  type Vm,
  whole,
} from './vm.ts'

export function aCpmm(vm: Vm): Swap {
  const mints = aPair(vm)
  const [authority, bump] = derived(cpmmProgram, 'vault_and_lp_mint_auth_seed')
  const observation = newKey()
  /** The writer of the tests leaves out what only the program asks for. */
  const lay: Vm['lay'] = (program, at, data) => {
    const bytes = Buffer.from(data)
    if (program === tokenProgram) bytes.set(new PublicKey(authority).toBytes(), 32)
    if (program === cpmmProgram && bytes.length === 637) {
      for (const place of [232, 264]) bytes.set(new PublicKey(tokenProgram).toBytes(), place)
      bytes.set(new PublicKey(observation).toBytes(), 296)
      bytes[328] = bump
      vm.lay(cpmmProgram, observation, account(4075, { 0: { mark: 'ObservationState' }, 11: { key: at } }))
    }
    vm.lay(program, at, bytes)
  }
  const config = layCpmmConfig(lay, Math.floor(random() * 1000), whole(between(100, 40_000)))
  const pool = layCpmm(lay, {
    token: mints[0],
    quote: mints[1],
    config,
    ofToken: whole(spread(1e6, 1e14)),
    ofQuote: whole(spread(1e6, 1e14)),
    owed: whole(spread(1, 1e9)),
  })
  const { state, pool: read } = vm.read(cpmm, pool)
  const side = eitherSide()
  const back = side === 0 ? 1 : 0
  const amount = anyAmount(read, side)
  return {
    venue: cpmm,
    pool,
    side,
    amount,
    input: input('swap_base_input', [amount, 8], [0n, 8]),
    keys: (user, signer) => [
      signer,
      meta(authority, false),
      meta(config, false),
      ...[pool, user[side], user[back], state.vaults[side], state.vaults[back]].map(key => meta(key)),
      ...[tokenProgram, tokenProgram, mints[side], mints[back]].map(key => meta(key, false)),
      meta(observation),
    ],
  }
}

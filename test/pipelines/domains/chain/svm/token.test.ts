import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { metadataOf } from '../../../../../pipelines/domains/chain/svm/derived-address.ts'
import {
  metadataProgram,
  systemProgram,
  token2022Program,
  tokenProgram,
  usdcMint,
  wrappedSol,
} from '../../../../../pipelines/domains/chain/svm/programs.ts'
import { tokenAccount } from '../../../../../pipelines/domains/payments/svm/payment.ts'
import { metadataData } from '../../../../../services/sandbox/solana-metadata.ts'
import { account, key, mint, mint2022, text, tokenAccountData } from './account-writer.ts'
import { newKey, type Solana, startSolana } from './solana.ts'

let solana: Solana
let token: string
const somebody = newKey()

beforeAll(async () => {
  solana = await startSolana()
})
beforeEach(() => {
  token = newKey()
})
afterAll(() => solana.close())

const transferFee = (bps: number, most: bigint, laterBps = bps, laterEpoch = 0n) =>
  account(108, {
    0: { key: somebody },
    72: { u64: 0n },
    80: { u64: most },
    88: { u16: bps },
    90: { u64: laterEpoch },
    98: { u64: most },
    106: { u16: laterBps },
  })

describe('token', () => {
  it('reads a mint and its metadata at one slot, and names the slot and the node', async () => {
    const { reader, lay, chain } = solana
    lay(tokenProgram, token, mint({ decimals: 9, supply: 123_456_789_000n, mintAuthority: somebody }))
    lay(metadataProgram, metadataOf(token), metadataData(token, 'Bolts', 'BOLT', true))
    const before = Number(chain.slot)
    const facts = await reader.token(token)
    expect(facts).toMatchObject({
      chain: 'solana',
      source: '127.0.0.1',
      name: 'Bolts',
      symbol: 'BOLT',
      decimals: 9,
      total_supply: '123.456789',
      total_supply_raw: '123456789000',
      mint_authority: somebody,
      freeze_authority: null,
      token_program: 'spl-token',
      extensions: [],
      metadata: { uri: null, is_mutable: true },
    })
    expect((facts as { block: number }).block).toBeGreaterThanOrEqual(before)
  })

  it('reads the metadata inside a Token-2022 mint, and ignores that of another mint', async () => {
    const { reader, lay } = solana
    const own = (of: string) =>
      Buffer.concat([
        key(somebody),
        key(of),
        text('Nuts'),
        text('NUT'),
        text('https://nuts.sample'),
        text(''),
      ])
    lay(token2022Program, token, mint2022([[19, own(token)]]))
    const facts = await reader.token(token)
    expect(facts).toMatchObject({
      name: 'Nuts',
      symbol: 'NUT',
      token_program: 'token-2022',
      extensions: ['token_metadata'],
      metadata: { uri: 'https://nuts.sample', update_authority: somebody, is_mutable: true },
    })
    const borrowed = newKey()
    lay(token2022Program, borrowed, mint2022([[19, own(token)]]))
    expect(await reader.token(borrowed)).toMatchObject({ name: null, symbol: null, metadata: null })
  })

  it('cleans a name with hidden characters, and says so', async () => {
    const { reader, lay } = solana
    lay(tokenProgram, token, mint())
    lay(metadataProgram, metadataOf(token), metadataData(token, 'Bo\u202elts\u0007', 'B'))
    const facts = await reader.token(token)
    expect(facts).toMatchObject({ name: 'Bolts' })
    expect(codesOf(facts)).toContain('odd_name')
  })

  it('recognises a token with the name of a known one', async () => {
    const { reader, lay } = solana
    lay(tokenProgram, token, mint())
    lay(metadataProgram, metadataOf(token), metadataData(token, 'Some coin', '$uѕdc'))
    expect(await reader.token(token)).toMatchObject({
      warnings: [{ code: 'lookalike', severity: 'danger', evidence: expect.stringContaining(usdcMint) }],
    })
  })

  it.for([
    ['nothing', undefined, 'there is no account'],
    ['a wallet', [systemProgram, Buffer.alloc(0)], 'is a wallet'],
    [
      'an account of a holder',
      [tokenProgram, tokenAccountData(wrappedSol, somebody, 1n)],
      `its token is ${wrappedSol}`,
    ],
    [
      'an account of another program',
      [metadataProgram, Buffer.alloc(82, 1)],
      `of the program ${metadataProgram}`,
    ],
    ['a mint that was never begun', [tokenProgram, Buffer.alloc(82)], 'and no token'],
    [
      'bytes that end within an extension',
      [token2022Program, mint2022([[1, Buffer.alloc(8)]])],
      'and no token',
    ],
  ] as const)('refuses %s', async ([, laid, because]) => {
    const { reader, lay } = solana
    if (laid) lay(laid[0], token, laid[1])
    expect(await reader.token(token)).toEqual({
      refused: 'not_a_token',
      because: expect.stringContaining(because),
    })
  })

  it('refuses a program', async () => {
    const { reader } = solana
    expect(await reader.token(tokenProgram)).toMatchObject({
      because: expect.stringContaining('is a program'),
    })
  })
})

describe('warnings of a mint, each with its evidence', () => {
  it.for([
    [
      'a mint authority',
      mint({ mintAuthority: somebody }),
      tokenProgram,
      'owner_can_mint',
      'caution',
      somebody,
    ],
    [
      'a freeze authority',
      mint({ freezeAuthority: somebody }),
      tokenProgram,
      'can_freeze',
      'caution',
      somebody,
    ],
    [
      'a fee on transfers',
      mint2022([[1, transferFee(250, 5000n)]]),
      token2022Program,
      'transfer_fee',
      'danger',
      '2.5 %',
    ],
    [
      'a fee that begins later',
      mint2022([[1, transferFee(0, 5000n, 900, 99_999n)]]),
      token2022Program,
      'transfer_fee',
      'caution',
      'from epoch 99999 on 9 %',
    ],
    [
      'a permanent delegate',
      mint2022([[12, key(somebody)]]),
      token2022Program,
      'permanent_delegate',
      'danger',
      somebody,
    ],
    [
      'a token that stays',
      mint2022([[9, Buffer.alloc(0)]]),
      token2022Program,
      'non_transferable',
      'danger',
      'send nor sell',
    ],
    [
      'a hook',
      mint2022([[14, Buffer.concat([Buffer.alloc(32), key(somebody)])]]),
      token2022Program,
      'transfer_hook',
      'danger',
      `runs program ${somebody}`,
    ],
    [
      'a hook that can be set',
      mint2022([[14, Buffer.concat([key(somebody), Buffer.alloc(32)])]]),
      token2022Program,
      'transfer_hook',
      'caution',
      'no program runs now',
    ],
    [
      'accounts frozen at first',
      mint2022([[6, Buffer.from([2])]]),
      token2022Program,
      'default_frozen',
      'danger',
      'begin frozen',
    ],
    [
      'hidden amounts',
      mint2022([[4, Buffer.alloc(65)]]),
      token2022Program,
      'confidential',
      'caution',
      'can be hidden',
    ],
    [
      'a pause',
      mint2022([[26, Buffer.concat([key(somebody), Buffer.from([1])])]]),
      token2022Program,
      'owner_can_pause',
      'danger',
      'paused now',
    ],
    [
      'interest',
      mint2022([[10, Buffer.alloc(52)]]),
      token2022Program,
      'rebasing',
      'caution',
      'interest_bearing',
    ],
    [
      'what is not known',
      mint2022([[77, Buffer.alloc(3)]]),
      token2022Program,
      'unknown_extension',
      'caution',
      'type 77',
    ],
  ] as const)('%s', async ([, data, program, code, severity, evidence]) => {
    const { reader, lay } = solana
    lay(program, token, data)
    expect(await reader.token(token)).toMatchObject({
      warnings: [{ code, severity, evidence: expect.stringContaining(evidence) }],
    })
  })

  it('none for a mint without an authority', async () => {
    const { reader, lay } = solana
    lay(
      token2022Program,
      token,
      mint2022([
        [6, Buffer.from([1])],
        [12, Buffer.alloc(32)],
        [18, Buffer.alloc(64)],
      ]),
    )
    expect(await reader.token(token)).toMatchObject({ warnings: [] })
  })
})

describe('balance', () => {
  it('adds up all accounts of an owner, of both token programs', async () => {
    const { reader, lay } = solana
    const [owner, newer] = [newKey(), newKey()]
    lay(systemProgram, owner, Buffer.alloc(0))
    lay(tokenProgram, token, mint({ decimals: 2 }))
    lay(token2022Program, newer, mint2022([[9, Buffer.alloc(0)]], { decimals: 0 }))
    lay(tokenProgram, tokenAccount(owner, usdcMint), tokenAccountData(usdcMint, owner, 1_500_000n))
    lay(tokenProgram, newKey(), tokenAccountData(token, owner, 100n))
    lay(tokenProgram, newKey(), tokenAccountData(token, owner, 23n, 2))
    lay(tokenProgram, newKey(), tokenAccountData(token, somebody, 1_000_000n))
    const extended = Buffer.concat([tokenAccountData(newer, owner, 7n), Buffer.from([2]), Buffer.alloc(4)])
    lay(token2022Program, newKey(), extended)
    const absent = newKey()
    expect(await reader.balance({ address: owner, tokens: [token, newer, absent] })).toMatchObject({
      native: { symbol: 'SOL', balance: '1000', raw: '1000000000000' },
      usdc: { balance: '1.5', raw: '1500000' },
      usdt: { balance: '0', raw: '0' },
      tokens: [
        { token, decimals: 2, balance: '1.23', raw: '123', error: null },
        { token: newer, decimals: 0, balance: '7', raw: '7', error: null },
        { token: absent, balance: null, raw: null, error: expect.stringContaining('no account') },
      ],
      is_contract: false,
    })
  })

  it('reads an address that holds nothing, and recognises a program', async () => {
    const { reader } = solana
    expect(await reader.balance({ address: newKey() })).toMatchObject({
      native: { balance: '0' },
      is_contract: false,
    })
    expect(await reader.balance({ address: tokenProgram })).toMatchObject({ is_contract: true })
  })
})

const codesOf = (facts: unknown) =>
  (facts as { warnings: { code: string }[] }).warnings.map(({ code }) => code)

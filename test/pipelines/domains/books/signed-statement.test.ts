/** The signature of a statement, checked by code that is not ours. */

import { recoverTypedDataAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { signedStatement } from '../../../../pipelines/domains/books/signed-statement.ts'

/** A well-known development key. */
const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const statement = { month: '2026-11', format: 'csv', text: 'date,amount\n2026-11-01,1\n' }

const signerOf = ({ payload, signature }: ReturnType<typeof signedStatement>) =>
  recoverTypedDataAddress({
    domain: { name: 'Farebox statement', version: '1', chainId: 1 },
    types: {
      Statement: [
        { name: 'version', type: 'uint256' },
        { name: 'month', type: 'string' },
        { name: 'format', type: 'string' },
        { name: 'sha256', type: 'bytes32' },
      ],
    },
    primaryType: 'Statement',
    message: { ...payload, version: BigInt(payload.version) } as never,
    signature: signature as `0x${string}`,
  })

it('names who signed it, and is the same for the same bytes', async () => {
  const signed = signedStatement(statement, key)
  expect(await signerOf(signed)).toBe(privateKeyToAccount(key).address)
  expect(signedStatement(statement, key)).toEqual(signed)
})

it('holds for no other text, month or form', async () => {
  const { signature } = signedStatement(statement, key)
  for (const other of [{ text: `${statement.text} ` }, { month: '2026-10' }, { format: 'json' }]) {
    const { payload } = signedStatement({ ...statement, ...other }, key)
    expect(await signerOf({ format: 'eip712', payload, signature })).not.toBe(
      privateKeyToAccount(key).address,
    )
  }
})

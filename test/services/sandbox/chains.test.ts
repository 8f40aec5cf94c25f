import { expect, it } from 'vitest'
import { openChains } from '../../../pipelines/domains/chain/open-chains.ts'
import { chainsOf } from '../../../services/sandbox/chains.ts'

const running = [{ network: 'base' }, { network: 'solana' }] as const

it('a chain that the sandbox does not run is not read from a public node, and its lack is named', () => {
  const { isRead, lacking } = chainsOf(running, {})
  expect([isRead('base'), isRead('solana'), isRead('ethereum'), isRead('polygon')]).toEqual([
    true,
    true,
    false,
    false,
  ])
  const readers = openChains({}, Date.now, undefined, lacking)
  expect(() => readers('ethereum')).toThrow(
    'The sandbox runs no Ethereum, but base, solana. Start it with ETHEREUM_RPC_URL to read a real node',
  )
})

it('is read where its user names a node', () => {
  expect(chainsOf(running, { ETHEREUM_RPC_URL: 'https://node.example' }).isRead('ethereum')).toBe(true)
})

it('a test network has no chain that is read', () => {
  const { isRead, lacking } = chainsOf([{ network: 'base-sepolia' }], {})
  expect([isRead('base'), lacking('base')]).toEqual([
    false,
    expect.stringContaining('runs no Base, but base-sepolia'),
  ])
})

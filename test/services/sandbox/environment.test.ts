import { expect, it } from 'vitest'
import { sandboxConfig, wishes } from '../../../services/sandbox/environment.ts'
import type { PlayChain } from '../../../services/sandbox/play-chain.ts'

const base = {
  network: 'base',
  payTo: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  rpcUrl: 'http://127.0.0.1:1',
} as PlayChain

const parts = (samples: ('ECB_URL' | 'FAA_URL')[]) => ({
  chains: [base],
  upstreams: { urls: {}, samples: new Set(samples) },
  facilitatorUrls: ['http://127.0.0.1:2'],
  ipDatabase: '/somewhere',
})

it.each(['PAY_TO_BASE', 'PAY_TO_POLYGON', 'FACILITATOR_URL', 'POLYGON_RPC_URL', 'LOG_URL', 'STORE_URL'])(
  'will not touch a %s of real money or real books',
  name => {
    expect(() => wishes({ [name]: 'https://real.example' })).toThrow(`${name} is set; the sandbox`)
  },
)

it('accepts all other values, as the service does', () => {
  expect(wishes({ PORT: '9000', NETWORKS: 'base-sepolia' })).toMatchObject({
    PORT: 9000,
    NETWORKS: ['base-sepolia'],
    DATA_DIR: './data/sandbox',
  })
  expect(() => wishes({ PORT: 'high' })).toThrow('PORT is "high"')
})

it('settles by itself, with keys of play money', () => {
  const env = { FACILITATOR_URL: 'self' }
  expect(wishes(env)).toMatchObject({ FACILITATOR_URL: ['self'] })
  expect(() => wishes({ ...env, SETTLE_KEY_BASE: `0x${'12'.repeat(32)}` })).toThrow('SETTLE_KEY_BASE is set')
  const settleKey = `0x${'34'.repeat(32)}`
  expect(sandboxConfig(env, { ...parts([]), chains: [{ ...base, settleKey }] })).toMatchObject({
    ...{ FACILITATOR_URL: ['self'], SETTLE_KEY_BASE: [settleKey], SETTLE_MOST_GWEI: 10 },
  })
})

it('never keeps facts of samples in the books of live ones', () => {
  const folder = (samples: ('ECB_URL' | 'FAA_URL')[]) =>
    sandboxConfig({ DATA_DIR: '/data' }, parts(samples)).DATA_DIR
  const folders = [folder([]), folder(['ECB_URL']), folder(['FAA_URL']), folder(['FAA_URL', 'ECB_URL'])]

  expect(folders).toEqual(['/data/live', '/data/sample-ecb', '/data/sample-faa', '/data/sample-ecb-faa'])
})

it('pays into the play-money chains, each by its own variables', () => {
  const polygon = { ...base, network: 'polygon', rpcUrl: 'http://127.0.0.1:3' } as PlayChain
  expect(sandboxConfig({}, { ...parts([]), chains: [base, polygon] })).toMatchObject({
    PAY_TO_BASE: base.payTo,
    BASE_RPC_URL: [base.rpcUrl],
    PAY_TO_POLYGON: polygon.payTo,
    POLYGON_RPC_URL: [polygon.rpcUrl],
    FACILITATOR_URL: ['http://127.0.0.1:2'],
  })
})

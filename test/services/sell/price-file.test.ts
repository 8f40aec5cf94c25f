import { expect, it } from 'vitest'
import { priceBookOf } from '../../../services/sell/price-file.ts'
import { shown } from './reading.ts'

const wallet = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
const context = {
  origins: [
    { name: 'data', operations: [{ path: '/fx' }, { path: '/weather' }] },
    { name: 'web', operations: [{ path: '/read' }] },
  ],
  isForbidden: (address: string) => address.toLowerCase().startsWith('0xfee'),
}
const read = (text: string) => priceBookOf(text, context)
const faultsOf = (text: string) => read(text).faults.map(shown)

it('reads prices and payees of operations, origins and networks', () => {
  const text = `pay_to: { base: "${wallet}" }
origins:
  data: { price: 0.003 }
operations:
  /fx: { price: "0.002", prices: { solana: "0.004" }, pay_to: { base: "${wallet.toLowerCase()}" } }`
  expect(read(text).book).toEqual({
    pay_to: { base: wallet },
    origins: { data: { price: '0.003' } },
    operations: {
      '/fx': { price: '0.002', prices: { solana: '0.004' }, pay_to: { base: wallet.toLowerCase() } },
    },
  })
  expect(read('{}').book).toEqual({})
})

it.each([
  ['operations:\n  /fxx: { price: 0.1 }', '2:3 operations./fxx: no operation is sold at this path'],
  ['origins:\n  dat: { price: 0.1 }', '2:3 origins.dat: no origin has this name. Known are data, web'],
  ['operations:\n  /fx: { prise: 0.1 }', '2:10 operations./fx.prise: There is no field "prise"'],
  [
    'operations:\n  /fx: { prices: { bass: 0.1 } }',
    '2:20 operations./fx.prices.bass: There is no field "bass"',
  ],
  ['operations:\n  /fx: { price: 0 }', '2:17 operations./fx.price: US dollars above 0'],
  ['operations:\n  /fx: { price: 0.0000001 }', '2:17 operations./fx.price: US dollars above 0'],
  ['operations:\n  /fx: { prices: { base: -1 } }', '2:26 operations./fx.prices.base: US dollars above 0'],
  [`pay_to: { base: "${wallet.replace('C6A65', 'C6A66')}" }`, '1:17 pay_to.base: its checksum is wrong'],
  ['pay_to: { base: "0x00" }', '1:17 pay_to.base: it should be an address of 0x and 40 hex digits'],
  [`pay_to: { base: "0x${'0'.repeat(40)}" }`, '1:17 pay_to.base: nobody has the key of this address'],
  [
    'pay_to: { base: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913" }',
    '1:17 pay_to.base: nobody has the key of this address',
  ],
  [`pay_to: { solana: "${wallet}" }`, '1:19 pay_to.solana: it should be a Solana address'],
  [
    `pay_to: { base: "0xfee${'1'.repeat(37)}" }`,
    '1:17 pay_to.base: this is the address of a key that pays fees or refunds',
  ],
  ['{}\n---\noperations:\n  /fx: { price: 2 }', '2:1 Source contains multiple documents'],
  ['', '1:1 the file is empty; {} is a file that sets nothing'],
  ['- 1', '1:1 '],
  ['operations:\n  /fx: { price: 1 }\n  /fx: { price: 2 }', '3:3 '],
  [
    'operations: { constructor: { price: 1 } }',
    '1:15 operations.constructor: no operation is sold at this path',
  ],
])('refuses %j with line and column', (text, fault) => {
  expect(read(text).book).toBeUndefined()
  expect(faultsOf(text)[0]).toContain(fault)
})

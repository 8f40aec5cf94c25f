/** A process that spends from its user's purse as fast as it can. It prints each amount that it may sign for. */
import { argv } from 'node:process'
import { Budget } from '../../../services/client/purse.ts'
import { purseInFile } from '../../../services/client/purse-file.ts'

const [tries = '1', maxUsdPerDay = '5'] = argv.slice(2)
const purpose = { host: 'seller.example', path: '/fx', payTo: '0x1' }
const budget = new Budget({ maxUsdPerDay }, purseInFile())
for (let i = 0; i < Number(tries); i++)
  process.stdout.write(typeof (await budget.take(1000n, purpose)) === 'string' ? 'no\n' : 'yes\n')

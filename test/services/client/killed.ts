/** A process that pays, and is killed at a step of it: after it has claimed the amount, written the log, or kept the payment. */
import { argv, kill, pid } from 'node:process'
import { createFarebox } from '../../../services/client/farebox.ts'
import { keepInFolder } from '../../../services/client/keep-folder.ts'
import { type Spent, spendingInFolder } from '../../../services/client/spending.ts'
import { evmKey } from '../sandbox/running.ts'

const [url = '', step] = argv.slice(2)
const die = () => kill(pid, 'SIGKILL')
const write = spendingInFolder()
const keep = keepInFolder()
const farebox = createFarebox({
  url,
  wallet: { evmKey },
  onSigned(spent: Spent) {
    if (step === 'claimed') die()
    write(spent)
    if (step === 'logged') die()
  },
  keep: {
    ...keep,
    put(...kept) {
      const isKept = keep.put(...kept)
      if (step === 'kept') die()
      return isKept
    },
  },
})
await farebox.call('/fx', { from: 'USD', to: 'JPY' })

/** A till in a process of its own. It kills itself at one step of a sale, like a power cut. */
import { settlements } from '../../../schemas/settlements.ts'
import { openTill } from '../../../services/till/open-till.ts'
import { largeAnswer } from './large-answer.ts'
import { echo, header, toil } from './paying.ts'
import { openTestBlobs, openTestLog, options } from './till-options.ts'

const [folder, url, payment, at, size, config] = process.argv.slice(2) as [
  ...[string, string, string, string],
  ...[string?, string?],
]
const log = await openTestLog(folder)
const till = await openTill(
  options(log, url, {
    blobs: await openTestBlobs(folder),
    ...(config && { config: JSON.parse(config) }),
    step: step => {
      if (step === at) process.kill(process.pid, 'SIGKILL')
    },
  }),
)
// An answer without cost is not verified first.
const product = at === 'verified' ? toil : echo
const sold = await till.sell({
  product,
  question: '{}',
  payment: await till.check(till.decode(header(JSON.parse(payment))), product),
  idempotencyKey: 'the-same-key',
  caller: 'the payer',
  requestId: 'before-the-crash',
  answer: async () => (size === 'large' ? largeAnswer('before') : '{"said":"before"}'),
})
// The answer has left. The log must not hold anything but its promise.
if (at === 'delivered') sold.delivered(true)
if (at === 'recorded') {
  const told = Promise.withResolvers<void>()
  await log.watch(settlements.topic, batch => {
    if (batch.some(({ value }) => value?.includes('"state":"settled"'))) told.resolve()
  })
  await told.promise
}
process.kill(process.pid, 'SIGKILL')

/** Watching: the quotes of x402 endpoints, their downtime, and our own answers. Signed webhooks report each change. */
import { desk } from '../../../pipelines/domains/watch/desk.ts'
import { watchVariables } from '../../../pipelines/domains/watch/variables.ts'
import { delivering, watching } from '../../../pipelines/workers/watch/workers.ts'
import { endpointStates } from '../../../schemas/endpoint-states.ts'
import { watchOrders, watchSubscriptions, watchTold } from '../../../schemas/watch-subscriptions.ts'
import { webhookEvents, webhookStandings } from '../../../schemas/webhooks.ts'
import { defineOrigin } from '../../offer/origin.ts'
import { check } from './check.ts'
import { watchWords } from './field-words.ts'
import { find } from './find.ts'
import { watchSubscribe } from './own/watch-subscribe.ts'
import { watchedAnswers } from './own/watched-answers.ts'
import { weighCancel } from './weigh/cancel.ts'
import { weighDeliveries } from './weigh/deliveries.ts'
import { weighKeys } from './weigh/keys.ts'
import { weighPrepare } from './weigh/prepare.ts'
import { weighReplay } from './weigh/replay.ts'
import { weighStatus } from './weigh/status.ts'
import { weighSubscribe } from './weigh/subscribe.ts'
import { weighTest } from './weigh/test-hook.ts'

export const watch = defineOrigin({
  name: 'watch',
  title: 'Watching x402 sellers, and what is sold here',
  version: '0.17.1',
  address: 'WATCH_URL',
  unset: 'EXTRACT_URL',
  variables: [watchVariables],
  parts: [desk],
  reads: [watchSubscriptions, watchOrders, watchTold, endpointStates],
  writes: [watchOrders, watchTold, webhookEvents, webhookStandings],
  workers: [watching, delivering, watchedAnswers],
  words: watchWords,
  operations: [weighSubscribe, watchSubscribe],
  free: [
    check,
    find,
    weighPrepare,
    weighStatus,
    weighKeys,
    weighDeliveries,
    weighReplay,
    weighCancel,
    weighTest,
  ],
  pages: [],
})

/** Fetches or makes the images of the servers that tests run in containers, before they need them. */
import { imageOf } from './container.ts'
import { kafkaVersion } from './kafka-node.ts'

for (const [server, version] of [['kafka', kafkaVersion], ['s3']] as const)
  console.log((await imageOf(server, version)) ?? `no image of ${server} can be had`)
// Docker's client keeps its connections.
process.exit()

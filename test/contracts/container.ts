/** Servers in Docker containers, of the versions in deploy/compose.yaml. */
import { readFileSync } from 'node:fs'
import { GenericContainer, getContainerRuntimeClient } from 'testcontainers'
import { parse } from 'yaml'

export const noEngine = 'no Docker engine was found'

export const hasEngine = () =>
  getContainerRuntimeClient().then(
    () => true,
    () => false,
  )

const { services } = parse(readFileSync('deploy/compose.yaml', 'utf8')) as {
  services: Record<string, { image: string }>
}

export function containerOf(service: 'kafka' | 'clickhouse', version?: string): GenericContainer {
  const image = services[service]?.image as string
  return new GenericContainer(version ? image.replace(/:.*/, `:${version}`) : image)
}

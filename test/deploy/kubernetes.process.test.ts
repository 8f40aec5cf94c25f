import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { canaryKeyVariables, settleKeyVariables } from '../../schemas/tables/networks.ts'
import { canaryVariables } from '../../services/canary/variables.ts'
import { checkPlaces } from '../../services/config/blobs-place.ts'
import { readConfig, saleConfig } from '../../services/config/config.ts'
import { environmentOf } from '../../services/config/environment.ts'
import { settleConfig } from '../../services/config/settle-config.ts'
import { origins } from '../../services/origins/index.ts'
import { scratchFolder } from '../scratch.ts'
import { composed } from './compose.ts'
import { installed } from './prometheus.ts'
import { deployed } from './queries.ts'

interface Variable {
  name: string
  value?: string
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } }
}
interface Container {
  image: string
  env: Variable[]
  envFrom: { configMapRef: { name: string } }[]
  resources: { requests: Record<string, string>; limits: Record<string, string> }
  securityContext: Record<string, unknown>
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[]
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } }
}
interface Resource {
  kind: string
  metadata: { name: string; namespace?: string }
  data?: Record<string, string>
  spec: Record<string, unknown> & {
    replicas?: number
    minReplicas?: number
    maxReplicas?: number
    strategy?: { type: string }
    template: {
      metadata: { labels: Record<string, string> }
      spec: Record<string, unknown> & { containers: [Container]; securityContext: Record<string, unknown> }
    }
  }
}

const base = ['ingest', 'worker', 'query', 'render', 'operations', 'network'].flatMap(name =>
  parseAllDocuments(deployed(`kubernetes/base/${name}.yaml`)).map(one => one.toJS() as Resource),
)
const deployments = (resources: Resource[]) => resources.filter(({ kind }) => kind === 'Deployment')
const containerOf = ({ spec }: Resource) => spec.template.spec.containers[0]

describe.each(deployments(base))('$metadata.name', deployment => {
  const { spec } = deployment.spec.template
  const container = containerOf(deployment)

  it('runs without privileges and writes only where it must', () => {
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      // The sandbox of the browser needs user namespaces.
      seccompProfile:
        deployment.metadata.name === 'render'
          ? { type: 'Localhost', localhostProfile: 'profiles/farebox-browser.json' }
          : { type: 'RuntimeDefault' },
    })
    expect(spec.automountServiceAccountToken).toBe(false)
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  it('has probes, and declares its resources', () => {
    for (const [probe, path] of [
      ['startupProbe', '/health'],
      ['livenessProbe', '/health'],
      ['readinessProbe', '/health/ready'],
    ] as const)
      expect(container[probe]?.httpGet).toEqual({ path, port: 'http' })
    expect(Object.keys(container.resources.requests).toSorted()).toEqual(['cpu', 'memory'])
    expect(container.resources.limits).toHaveProperty('memory')
    expect(spec.topologySpreadConstraints).toHaveLength(2)
  })

  it('holds no secret', () => {
    for (const { name, value } of container.env)
      if (/PASSWORD|TOKEN|SECRET|KEY/.test(name)) expect(value, name).toBeUndefined()
  })
})

it('each role finds the secrets that compose gives it', () => {
  for (const deployment of deployments(base)) {
    const { environment = {} } = composed().services[deployment.metadata.name] ?? {}
    // A path of a file, and public addresses.
    const open = ['LOG_KEY', 'ATTEST_KEY_FILE', 'ATTEST_KEYS']
    const secret = Object.keys(environment).filter(
      name => /KEY|SECRET|TOKEN$|PASSWORD|HEADERS/.test(name) && !open.includes(name),
    )
    const found = containerOf(deployment).env.flatMap(({ name, valueFrom }) => (valueFrom ? [name] : []))
    expect(secret.filter(name => !found.includes(name))).toEqual([])
  }
})

it('Prometheus finds every pod of each role, by a name without an address of its own', () => {
  const services = base.filter(({ kind, spec }) => kind === 'Service' && spec.clusterIP === 'None')
  const found = services.map(({ metadata, spec }) => [
    metadata.name,
    Object.values(spec.selector as object),
    spec.publishNotReadyAddresses,
  ])
  expect(found).toEqual(
    ['ingest', 'worker', 'query', 'render'].map(role => [
      role === 'query' ? 'query-pods' : role,
      [role],
      true,
    ]),
  )
})

it('what an operator does by hand runs while he asks for it, beside what the roles have', () => {
  const operations = base.find(({ kind }) => kind === 'StatefulSet')
  expect(operations?.spec.replicas).toBe(0)
  const { envFrom, env, securityContext } = containerOf(operations as Resource)
  const worker = containerOf(deployments(base).find(({ metadata }) => metadata.name === 'worker') as Resource)
  expect([envFrom, securityContext]).toEqual([worker.envFrom, worker.securityContext])
  const url = (of: Variable[]) => of.find(({ name }) => name === 'STORE_URL')?.value
  expect(url(env)).toBe(url(worker.env))
})

it('the image has the version of the package', () => {
  expect(deployed('kubernetes/base/kustomization.yaml')).toContain(`newTag: "${manifest.version}"`)
})

it('each role has secrets of its own', () => {
  for (const deployment of deployments(base)) {
    const names = containerOf(deployment).env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.name ?? [])
    expect(new Set(names)).toEqual(new Set([`farebox-${deployment.metadata.name}`]))
  }
})

describe('the policies of the network', () => {
  interface Rule {
    to?: { podSelector?: object; ipBlock?: { cidr: string; except: string[] } }[]
    ports: { port: number | string }[]
  }
  interface Selector {
    matchLabels?: Record<string, string>
    matchExpressions?: { values: string[] }[]
  }
  const policies = base.filter(({ kind }) => kind === 'NetworkPolicy')
  const roles = deployments(base).map(({ metadata }) => metadata.name)
  const isOf = (role: string, { matchLabels = {}, matchExpressions = [] }: Selector) =>
    (matchLabels['app.kubernetes.io/name'] ?? role) === role &&
    matchExpressions.every(({ values }) => values.includes(role))
  const waysOut = (role: string) =>
    policies
      .filter(({ spec }) => isOf(role, spec.podSelector as Selector))
      .flatMap(({ spec }) => (spec.egress ?? []) as Rule[])

  it('open each of our ports to the pods that serve it, and nowhere else', () => {
    for (const role of roles)
      for (const { to = [], ports } of waysOut(role)) {
        const ours = ports.some(({ port }) => port !== 443 && port !== 80 && port !== 53)
        expect([role, ports, to.length > 0]).toEqual([role, ports, true])
        if (ours) for (const target of to) expect(target.podSelector).toBeDefined()
      }
  })

  it('let each role reach what it needs', () => {
    const reaches = (role: string, wanted: number) =>
      waysOut(role).some(({ ports }) => ports.some(({ port }) => port === wanted))
    const table = Object.fromEntries(
      roles.map(role => [role, [9092, 8123, 443].filter(port => reaches(role, port))]),
    )
    expect(table).toEqual({
      ingest: [9092, 8123, 443],
      worker: [9092, 8123],
      query: [9092, 8123, 443],
      render: [9092, 443],
    })
  })

  it('keep render out of private networks', () => {
    const blocks = waysOut('render').flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? []))
    const closed = blocks.flatMap(({ except }) => except)
    for (const range of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7'])
      expect(closed).toContain(range)
  })
})

it('ingest ends before it is replaced: its volume has one writer', () => {
  const ingest = deployments(base).find(({ metadata }) => metadata.name === 'ingest')
  expect(ingest?.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
})

it('settling is a component with keys of its own, which sellers alone reach', () => {
  const component = parseAllDocuments(deployed('kubernetes/components/settle/settle.yaml')).map(
    one => one.toJS() as Resource,
  )
  const { env, securityContext } = containerOf(deployments(component)[0] as Resource)
  expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
  const keys = env.filter(({ name }) => name.startsWith('SETTLE_KEY_')).map(({ name }) => name)
  expect(keys.toSorted()).toEqual([...settleKeyVariables].toSorted())
  for (const { name, value, valueFrom } of env)
    if (/KEY|TOKEN|PASSWORD/.test(name))
      expect([value, valueFrom?.secretKeyRef.name]).toEqual([undefined, 'farebox-settle'])
  const given = Object.fromEntries(env.flatMap(({ name, value }) => (value ? [[name, value]] : [])))
  const PAY_TO_BASE = `0x${'0'.repeat(40)}`
  const secrets = { SETTLE_TOKEN: 'secret', SETTLE_KEY_BASE: `0x${'12'.repeat(32)}` }
  const config = readConfig({ ...given, ...secrets, PAY_TO_BASE, LOG_URL: 'kafka://k:9092' })
  expect(settleConfig(config)).toMatchObject({ host: '0.0.0.0', port: 8405, networks: [{ name: 'base' }] })
  const policies = component.filter(({ kind }) => kind === 'NetworkPolicy')
  expect(policies.map(({ spec }) => spec.ingress ?? [])).toEqual([
    [
      {
        from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'query' } } }],
        ports: [{ port: 'settle' }],
      },
    ],
    [],
  ])
})

it('the canary is a component with wallets of its own, which nobody reaches', () => {
  const component = parseAllDocuments(deployed('kubernetes/components/canary/canary.yaml')).map(
    one => one.toJS() as Resource,
  )
  const { env, securityContext } = containerOf(deployments(component)[0] as Resource)
  expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
  const keys = env.filter(({ name }) => name.startsWith('CANARY_KEY_')).map(({ name }) => name)
  expect(keys.toSorted()).toEqual([...canaryKeyVariables].toSorted())
  for (const { name, value, valueFrom } of env)
    if (/KEY|PASSWORD/.test(name))
      expect([value, valueFrom?.secretKeyRef.name]).toEqual([undefined, 'farebox-canary'])
  const given = Object.fromEntries(env.flatMap(({ name, value }) => (value ? [[name, value]] : [])))
  const more = { CANARY_KEY_BASE: `0x${'12'.repeat(32)}`, PUBLIC_URL: 'https://farebox.example' }
  const config = readConfig({ ...given, ...more, LOG_URL: 'kafka://k:9092' })
  expect(config.read(canaryVariables)?.networks.map(({ name }) => name)).toEqual(['base'])
  const policies = component.filter(({ kind }) => kind === 'NetworkPolicy')
  expect(policies.map(({ spec }) => spec.policyTypes)).toEqual([['Egress']])
})

const able = installed('kustomize', ['version'])
const validates = installed('kubernetes-validate')

describe.skipIf(!able)(able ? 'kustomize' : 'kustomize, which is not installed', () => {
  const built = (overlay: string) =>
    String(
      execFileSync('kustomize', [
        'build',
        fileURLToPath(new URL(`../../deploy/kubernetes/overlays/${overlay}`, import.meta.url)),
      ]),
    )

  describe.each(['small', 'cluster'])('overlay %s', overlay => {
    // The body of a suite runs even if its tests are skipped.
    const text = able ? built(overlay) : ''
    const resources = parseAllDocuments(text).map(one => one.toJS() as Resource)

    it('gives every role an environment that the service accepts', () => {
      const maps = new Map(
        resources
          .filter(({ kind }) => kind === 'ConfigMap')
          .map(({ metadata, data }) => [metadata.name, data]),
      )
      const known = new Set([
        ...Object.keys(environmentOf(origins).shape),
        'STORE_SCHEME',
        'STORE_HOST',
        'STORE_PASSWORD',
      ])
      const roles = deployments(resources).map(deployment => {
        const values: Record<string, string> = {}
        for (const { configMapRef } of containerOf(deployment).envFrom)
          Object.assign(values, maps.get(configMapRef.name) ?? expect.fail(configMapRef.name))
        for (const { name, value, valueFrom } of containerOf(deployment).env)
          if (value !== undefined || !valueFrom?.secretKeyRef.optional) values[name] = value ?? 'secret'
        expect(Object.keys(values).filter(name => !known.has(name))).toEqual([])
        if (values.LOG_URL?.includes('sasl'))
          for (const name of ['LOG_USERNAME', 'LOG_PASSWORD']) {
            expect(containerOf(deployment).env.find(one => one.name === name)?.valueFrom).toBeDefined()
            values[name] = 'login'
          }
        const filled = Object.fromEntries(
          Object.entries(values).map(([name, value]) => [
            name,
            value.replaceAll(/\$\((\w+)\)/g, (_, other: string) => values[other] ?? expect.fail(other)),
          ]),
        )
        expect(containerOf(deployment).image).toMatch(
          deployment.metadata.name === 'render' ? /^farebox-render:\d/ : /^farebox:\d/,
        )
        const config = readConfig(filled)
        checkPlaces(config)
        if (config.LOG_CA) {
          const { volumes = [] } = deployment.spec.template.spec as { volumes?: object[] }
          const secret = { secretName: `farebox-${deployment.metadata.name}-kafka` }
          expect(volumes).toContainEqual(expect.objectContaining({ secret: expect.objectContaining(secret) }))
          expect(containerOf(deployment).volumeMounts).toContainEqual(
            expect.objectContaining({ mountPath: dirname(config.LOG_CA), readOnly: true }),
          )
        }
        if (config.ROLES.includes('render')) {
          const secret = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
          expect(Object.keys(filled).filter(name => filled[name] === 'secret')).toEqual(secret)
          expect(Object.keys(filled).filter(name => /STORE|PAY_TO|FACILITATOR|BLOBS/.test(name))).toEqual([])
        } else expect(config.STORE_URL).toBe('http://farebox:secret@clickhouse:8123/farebox')
        if (config.ROLES.includes('query')) expect(saleConfig(config).payTo).toHaveLength(2)
        return config.ROLES
      })
      expect(roles.flat().toSorted()).toEqual(['ingest', 'meter', 'query', 'render', 'sink'])
    })

    it('keeps to the SEC’s limit, however many pods there are', () => {
      const scaled = resources.find(({ kind }) => kind === 'HorizontalPodAutoscaler')
      const rates = deployments(resources).map(deployment => {
        const rate = containerOf(deployment).env.find(({ name }) => name === 'SEC_RATE')?.value ?? '0'
        const most =
          deployment.metadata.name === 'query' ? scaled?.spec.maxReplicas : deployment.spec.replicas
        return Number(rate) * (most ?? deployment.spec.replicas ?? 1)
      })
      expect(rates.reduce((sum, rate) => sum + rate, 0)).toBeLessThanOrEqual(8)
    })

    it.skipIf(!validates)(
      validates
        ? 'fits the published schemas'
        : 'fits the published schemas: kubernetes-validate is not installed',
      () => {
        const file = join(scratchFolder(), 'resources.yaml')
        writeFileSync(file, text)
        const said = String(execFileSync('kubernetes-validate', ['--strict', '-k', '1.34', file]))
        expect(said.match(/passed for resource/g)).toHaveLength(resources.length)
      },
    )
  })

  it('the cluster can lose a pod of each doubled role', () => {
    const resources = parseAllDocuments(built('cluster')).map(one => one.toJS() as Resource)
    const guarded = resources.filter(({ kind }) => kind === 'PodDisruptionBudget')
    expect(guarded.map(({ metadata }) => metadata.name).toSorted()).toEqual(['query', 'render', 'worker'])
    const query = deployments(resources).find(({ metadata }) => metadata.name === 'query')
    // With an autoscaler, a number here would undo its work at every deployment.
    expect(query?.spec.replicas).toBeUndefined()
  })
})

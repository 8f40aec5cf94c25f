/** The overlays on a real API server, with the commands of README.md: validated, admitted, rolled, drained, scaled. Nothing runs in the pods. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { scratchFolder } from '../scratch.ts'
import { until } from '../until.ts'
import { type ControlPlane, lackingPrograms, startControlPlane } from './control-plane.ts'
import { type Load, offerMetrics } from './metrics-api.ts'
import { deployed } from './queries.ts'

const missing = process.env.LONG_FORM === undefined ? 'LONG_FORM is unset' : lackingPrograms()
const longMs = 120_000
const overlay = 'deploy/kubernetes/overlays/cluster'

/** The block of README.md that has this line. */
function block(line: string): string {
  const blocks = deployed('README.md').matchAll(/^```\w*\n([\s\S]*?)^```$/gm)
  const [found] = [...blocks].map(([, lines]) => lines as string).filter(lines => lines.includes(line))
  if (!found) throw new Error(`README.md has no block with ${line}`)
  return found
}

const zones = ['a', 'b', 'c']
const node = (zone: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: `node-${zone}`,
    labels: { 'topology.kubernetes.io/zone': zone, 'kubernetes.io/hostname': `node-${zone}` },
  },
})
/** A disk that whoever asks for one gets. */
const disk = (name: string, storage: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Recycle',
    hostPath: { path: `/disks/${name}` },
  },
})

interface Pod {
  metadata: { name: string; labels: Record<string, string>; deletionTimestamp?: string }
  spec: { nodeName?: string; containers: [{ image: string }] }
  status: { phase: string; conditions?: { type: string; status: string }[] }
}

describe.skipIf(missing)(missing ? `the overlays, applied: ${missing}` : 'the overlays, applied', () => {
  const folder = scratchFolder(afterAll)
  /** A checkout, whose overlays an operator edits. */
  const checkout = join(folder, 'checkout')
  let plane: ControlPlane

  beforeAll(async () => {
    cpSync('deploy', join(checkout, 'deploy'), { recursive: true })
    plane = await startControlPlane(folder)
    const disks = ['10Gi', '10Gi', '50Gi'].map((size, n) => disk(`disk-${n}`, size))
    await plane.put(...zones.map(node), ...disks)
  }, longMs)
  afterAll(() => plane?.close(), longMs)

  const inNamespace = (...args: string[]) => plane.kubectl('--namespace', 'farebox', ...args)
  const read = async <T>(...args: string[]) =>
    JSON.parse(await inNamespace('get', ...args, '-o', 'json')) as T
  const podsOf = async (role: string) => {
    const { items } = await read<{ items: Pod[] }>('pods', '-l', `app.kubernetes.io/name=${role}`)
    return items.filter(({ metadata }) => !metadata.deletionTimestamp)
  }
  const isReady = ({ status }: Pod) =>
    status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false
  const ready = async (role: string) => (await podsOf(role)).filter(isReady)
  const rolled = (...roles: string[]) =>
    Promise.all(roles.map(role => inNamespace('rollout', 'status', `deployment/${role}`, '--timeout=120s')))
  const roles = ['ingest', 'worker', 'query', 'render']
  const counts = async () =>
    Object.fromEntries(await Promise.all(roles.map(async role => [role, (await ready(role)).length])))
  const apply = (path: string, ...more: string[]) =>
    plane.shell(`kubectl apply --kustomize ${path} ${more.join(' ')}`, checkout)
  /** Why the API server refuses it. */
  const refused = (work: Promise<string>) =>
    work.then(
      said => expect.fail(`accepted: ${said}`),
      (error: Error) => error.message,
    )

  describe('small', () => {
    it(
      'is applied by the commands of README.md, and every pod is admitted and comes up',
      async () => {
        const said = await plane.shell(
          block('kubectl create namespace farebox').replace(overlay, overlay.replace('cluster', 'small')),
          checkout,
        )
        expect(said).not.toMatch(/warning/i)
        await rolled(...roles)
        expect(await counts()).toEqual({ ingest: 1, worker: 1, query: 1, render: 1 })
        const { items } = await read<{ items: { metadata: { name: string } }[] }>('networkpolicies')
        expect(items.map(({ metadata }) => metadata.name)).toEqual([
          'farebox',
          'log',
          'query',
          'render',
          'store',
          'world',
        ])
        expect(JSON.parse(await inNamespace('get', 'pvc', 'ingest', '-o', 'json')).status.phase).toBe('Bound')
      },
      longMs,
    )

    it(
      'is taken away whole',
      async () => {
        await plane.kubectl('delete', 'namespace', 'farebox', '--timeout=120s')
      },
      longMs,
    )
  })

  describe('cluster', () => {
    it(
      'is applied by the commands of README.md, with a pod of each doubled role in other zones',
      async () => {
        const said = await plane.shell(block('kubectl create namespace farebox'), checkout)
        expect(said).not.toMatch(/warning/i)
        await rolled(...roles)
        // The autoscaler holds its least number although the cluster has no metrics.
        await until(async () => (await ready('query')).length === 3, 'three pods of query', longMs)
        expect(await counts()).toEqual({ ingest: 1, worker: 3, query: 3, render: 2 })
        for (const role of ['worker', 'query', 'render']) {
          const nodes = (await ready(role)).map(({ spec }) => spec.nodeName)
          expect([role, new Set(nodes).size]).toEqual([role, nodes.length])
        }
        const [pod] = await podsOf('query')
        expect(pod?.spec.containers[0].image).toBe(`farebox:${manifest.version}`)
      },
      longMs,
    )

    it(
      'is accepted again, field by field, with its components, and nothing is unknown',
      async () => {
        const components = 'components: [../../components/settle, ../../components/canary]'
        await plane.shell(
          `cp -r ${overlay} ${overlay}-with && echo '${components}' >> ${overlay}-with/kustomization.yaml`,
          checkout,
        )
        for (const path of [overlay, overlay.replace('cluster', 'small'), `${overlay}-with`]) {
          const said = await apply(path, '--dry-run=server', '--validate=strict', '--namespace=farebox')
          expect(said).not.toMatch(/warning/i)
          expect(said.split('\n').filter(line => !line.endsWith(' (server dry run)'))).toEqual([])
        }
        const typo = `kubectl kustomize ${overlay} | sed 's/terminationGracePeriodSeconds/terminationGraceSeconds/' |
        kubectl apply --dry-run=server --validate=strict --filename -`
        expect(await refused(plane.shell(typo, checkout))).toContain('terminationGraceSeconds')
      },
      longMs,
    )

    it(
      'runs settle and canary with Secrets of their own',
      async () => {
        await inNamespace('create', 'secret', 'generic', 'farebox-settle', '--from-literal=SETTLE_TOKEN=x')
        await apply(`${overlay}-with`)
        await rolled('settle', 'canary')
        expect([await ready('settle'), await ready('canary')].map(({ length }) => length)).toEqual([1, 1])
      },
      longMs,
    )

    it('is in a namespace that lets nothing in which asks for more', async () => {
      const asks = { able: { capabilities: { add: ['NET_ADMIN'] } }, root: { runAsUser: 0 } }
      for (const [name, securityContext] of Object.entries(asks)) {
        const overrides = JSON.stringify({ spec: { containers: [{ name, image: 'x', securityContext }] } })
        const run = inNamespace('run', name, '--image=x', `--overrides=${overrides}`, '--dry-run=server')
        expect(await refused(run)).toContain('violates PodSecurity "restricted')
      }
    })

    it(
      'keeps its sellers where a new version does not come up',
      async () => {
        const before = (await ready('query')).map(({ metadata }) => metadata.name)
        await plane.kubectl('cordon', ...zones.map(zone => `node-${zone}`))
        await inNamespace('set', 'image', 'deployment/query', 'farebox=farebox:next')
        await until(
          async () => (await podsOf('query')).length === before.length + 1,
          'the first pod of the new version',
          longMs,
        )
        const still = (await ready('query')).map(({ metadata }) => metadata.name)
        expect(still.toSorted()).toEqual(before.toSorted())
        await inNamespace('rollout', 'undo', 'deployment/query')
        await until(
          async () => (await podsOf('query')).length === before.length,
          'the pod to be gone',
          longMs,
        )
        await plane.kubectl('uncordon', ...zones.map(zone => `node-${zone}`))
        await rolled('query')
      },
      longMs,
    )

    it(
      'loses no second pod of a role while the first has not come back',
      async () => {
        await plane.kubectl('cordon', ...zones.map(zone => `node-${zone}`))
        for (const role of ['worker', 'query', 'render']) {
          const [one, other] = await ready(role)
          const evict = (pod: Pod | undefined) => {
            const name = pod?.metadata.name ?? ''
            const eviction = JSON.stringify({
              apiVersion: 'policy/v1',
              kind: 'Eviction',
              metadata: { name, namespace: 'farebox' },
            })
            return plane.shell(
              `kubectl create --raw /api/v1/namespaces/farebox/pods/${name}/eviction --filename - <<<'${eviction}'`,
            )
          }
          await evict(one)
          await until(
            async () => (await ready(role)).length === (await podsOf(role)).length - 1,
            `the place of ${role}`,
            longMs,
          )
          expect(await refused(evict(other))).toContain("violate the pod's disruption budget")
        }
        await plane.kubectl('uncordon', ...zones.map(zone => `node-${zone}`))
        await rolled(...roles)
      },
      longMs,
    )

    it(
      'grows by the rule of its autoscaler, to its most',
      async () => {
        interface Scaler {
          status: { conditions: { type: string; status: string; reason: string }[] }
        }
        const condition = async (type: string) => {
          const { status } = await read<Scaler>('hpa', 'query')
          const found = status.conditions.find(one => one.type === type)
          return `${found?.status} ${found?.reason}`
        }
        // A cluster without metrics scales nothing, and says so.
        await until(
          async () => (await condition('ScalingActive')).startsWith('False Failed'),
          'the autoscaler to miss its metrics',
          longMs,
        )
        const load: Load = { cpu: '1m', callsInFlight: '100' }
        const metrics = await offerMetrics(plane, { namespace: 'farebox', name: 'query', load })
        try {
          await until(
            async () => (await condition('ScalingActive')) === 'True ValidMetricFound',
            'the metrics',
            longMs,
          )
          expect((await ready('query')).length).toBe(3)
          // 3 pods with 600 calls each are 4 with 450.
          load.callsInFlight = '600'
          await until(async () => (await ready('query')).length === 4, 'a fourth pod', longMs)
          load.callsInFlight = '5000'
          await until(
            async () => (await condition('ScalingLimited')) === 'True TooManyReplicas',
            'its most',
            longMs,
          )
          expect((await ready('query')).length).toBe(4)
        } finally {
          await metrics.close()
        }
      },
      longMs,
    )

    it(
      'gives an operator a pod with a disk, which stays',
      async () => {
        const [begin] = block('scale statefulset operations').split('#')
        await plane.shell(begin as string)
        await inNamespace('rollout', 'status', 'statefulset/operations', '--timeout=120s')
        await inNamespace('scale', 'statefulset', 'operations', '--replicas=0')
        await inNamespace('wait', '--for=delete', 'pod/operations-0', '--timeout=60s')
        expect(
          JSON.parse(await inNamespace('get', 'pvc', 'backups-operations-0', '-o', 'json')).status.phase,
        ).toBe('Bound')
      },
      longMs,
    )

    it(
      'is upgraded by the commands of README.md',
      async () => {
        await plane.shell(block('kubectl --namespace farebox scale deployment query --replicas=0'), checkout)
        await rolled(...roles)
        await until(async () => (await ready('query')).length >= 3, 'the sellers', longMs)
        for (const role of roles)
          for (const { spec } of await podsOf(role))
            expect(spec.containers[0].image).toMatch(/^registry\.example\.org\/farebox(-render)?:/)
      },
      longMs,
    )

    it(
      'gives Prometheus the names of its pods',
      async () => {
        await plane.shell(
          `kubectl create namespace monitoring\n${block('kubectl --namespace monitoring create configmap')}`,
          checkout,
        )
        const text = await plane.kubectl(
          '--namespace',
          'monitoring',
          'get',
          'configmap',
          'farebox-prometheus',
          '-o',
          'json',
        )
        const { data } = JSON.parse(text) as { data: Record<string, string> }
        const named = [...(data['prometheus.yaml'] ?? '').matchAll(/names: \[([\w-]+)\.farebox\.svc/g)].map(
          ([, name]) => name as string,
        )
        const { items } = await read<{
          items: { metadata: { name: string }; subsets?: { addresses?: object[] }[] }[]
        }>('endpoints')
        const addresses = (name: string) =>
          items
            .find(({ metadata }) => metadata.name === name)
            ?.subsets?.flatMap(({ addresses = [] }) => addresses) ?? []
        expect(named.filter(name => addresses(name).length === 0)).toEqual([])
        expect(named).toContain('query-pods')
      },
      longMs,
    )
  })
})

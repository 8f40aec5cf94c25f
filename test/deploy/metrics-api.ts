/** What a metrics server and an adapter of Prometheus tell a cluster, in two groups of its API: what each pod of a name uses and has in hand. */
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ControlPlane } from './control-plane.ts'

export interface Load {
  /** Of each pod. */
  cpu: string
  callsInFlight: string
}

const groups = [
  { group: 'metrics.k8s.io', version: 'v1beta1' },
  { group: 'custom.metrics.k8s.io', version: 'v1beta2' },
]
const pods = { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] }

/** Adds the groups to the API of the cluster. The load may be changed while it is told. */
export async function offerMetrics(
  plane: ControlPlane,
  { namespace, name, load }: { namespace: string; name: string; load: Load },
): Promise<{ close(): Promise<void> }> {
  const podNames = async () => {
    const selector = `app.kubernetes.io/name=${name}`
    const found = await plane.kubectl('get', 'pods', '-n', namespace, '-l', selector, '-o', 'name')
    return found.split('\n').map(line => line.replace('pod/', ''))
  }
  const answers: Record<string, () => Promise<object> | object> = {
    '/apis/metrics.k8s.io/v1beta1': () => resourcesOf('metrics.k8s.io/v1beta1', 'pods'),
    '/apis/custom.metrics.k8s.io/v1beta2': () =>
      resourcesOf('custom.metrics.k8s.io/v1beta2', 'pods/farebox_calls_in_flight'),
    [`/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`]: async () => ({
      kind: 'PodMetricsList',
      apiVersion: 'metrics.k8s.io/v1beta1',
      items: (await podNames()).map(pod => ({
        metadata: { name: pod, namespace, labels: { 'app.kubernetes.io/name': name } },
        timestamp: new Date().toISOString(),
        window: '15s',
        containers: [{ name: 'farebox', usage: { cpu: load.cpu, memory: '100Mi' } }],
      })),
    }),
    [`/apis/custom.metrics.k8s.io/v1beta2/namespaces/${namespace}/pods/*/farebox_calls_in_flight`]:
      async () => ({
        kind: 'MetricValueList',
        apiVersion: 'custom.metrics.k8s.io/v1beta2',
        metadata: {},
        items: (await podNames()).map(pod => ({
          describedObject: { kind: 'Pod', namespace, name: pod, apiVersion: 'v1' },
          metric: { name: 'farebox_calls_in_flight' },
          timestamp: new Date().toISOString(),
          value: load.callsInFlight,
        })),
      }),
  }
  const server = createServer(plane.certificate, async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'https://localhost')
    const body = await answers[decodeURIComponent(pathname)]?.()
    response
      .writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(body ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await plane.put(...registered(port))
  return {
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const resourcesOf = (groupVersion: string, name: string) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion,
  resources: [{ ...pods, name, kind: name === 'pods' ? pods.kind : 'MetricValueList' }],
})

/** The API server finds this one by the name of the machine. */
const registered = (port: number): object[] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'metrics', namespace: 'kube-system' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
  },
  ...groups.map(({ group, version }) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: {
      ...{ group, version, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true },
      service: { namespace: 'kube-system', name: 'metrics', port },
    },
  })),
]

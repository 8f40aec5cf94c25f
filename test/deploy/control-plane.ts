/**
 * The control plane of a cluster, for real: etcd, the API server, its controllers and the scheduler, which `.ci/control-plane`
 * builds. No kubelet is there: the nodes are kwok's, whose pods say that they run, and run nothing.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePorts } from '../contracts/java.ts'
import { until } from '../until.ts'
import { installed } from './prometheus.ts'

const run = promisify(execFile)
const programs = {
  etcd: '--version',
  'kube-apiserver': '--version',
  'kube-controller-manager': '--version',
  'kube-scheduler': '--version',
  kubectl: '--help',
  kustomize: 'version',
  kwok: '--version',
}
const startMs = 120_000
const stages = fileURLToPath(new URL('kwok.yaml', import.meta.url))

/** Why none can be started. */
export function lackingPrograms(): string | undefined {
  const lacking = Object.entries(programs).filter(([program, asked]) => !installed(program, [asked]))
  const names = lacking.map(([program]) => program).join(', ')
  return names ? `.ci/control-plane has not built ${names}` : undefined
}

export interface ControlPlane {
  /** The certificate of the API server and its key, for another server that it asks. */
  certificate: { cert: Buffer; key: Buffer }
  /** Runs lines of a shell in a folder, as the administrator of this cluster. Resolves with what they print. */
  shell(lines: string, folder?: string): Promise<string>
  kubectl(...args: string[]): Promise<string>
  /** Applies resources as JSON. */
  put(...resources: object[]): Promise<void>
  close(): Promise<void>
}

/** Every namespace asks for what a hardened cluster asks for. */
const admission = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AdmissionConfiguration',
  plugins: [
    {
      name: 'PodSecurity',
      configuration: {
        apiVersion: 'pod-security.admission.config.k8s.io/v1',
        kind: 'PodSecurityConfiguration',
        defaults: { enforce: 'restricted', warn: 'restricted', audit: 'restricted' },
      },
    },
  ],
}

interface Places {
  folder: string
  etcd: number
  peers: number
  server: number
}

function programsOf({ folder, etcd, peers, server }: Places): Record<string, string[]> {
  const at = (name: string) => join(folder, name)
  const [clients, peer] = [etcd, peers].map(port => `http://127.0.0.1:${port}`)
  const settings = (values: Record<string, string | number | boolean>) =>
    Object.entries(values).map(([name, value]) => `--${name}=${value}`)
  const alone = { kubeconfig: at('kubeconfig'), 'leader-elect': false, 'secure-port': 0 }
  return {
    etcd: settings({
      'data-dir': at('etcd'),
      'listen-client-urls': clients as string,
      'advertise-client-urls': clients as string,
      'listen-peer-urls': peer as string,
      'initial-advertise-peer-urls': peer as string,
      'initial-cluster': `default=${peer}`,
      'unsafe-no-fsync': true,
    }),
    'kube-apiserver': settings({
      'etcd-servers': clients as string,
      'bind-address': '127.0.0.1',
      'advertise-address': '127.0.0.1',
      'endpoint-reconciler-type': 'none',
      'secure-port': server,
      'cert-dir': at('certificates'),
      'service-cluster-ip-range': '10.96.0.0/16',
      'service-account-issuer': 'https://kubernetes.default.svc',
      'service-account-key-file': at('accounts.pem'),
      'service-account-signing-key-file': at('accounts.pem'),
      'token-auth-file': at('tokens.csv'),
      'authorization-mode': 'RBAC',
      'admission-control-config-file': at('admission.json'),
    }),
    'kube-controller-manager': settings({
      ...alone,
      'service-account-private-key-file': at('accounts.pem'),
      'root-ca-file': at('certificates/apiserver.crt'),
      // A node that says nothing for a while is on a busy machine.
      'node-monitor-grace-period': '1h',
      'horizontal-pod-autoscaler-sync-period': '1s',
      'horizontal-pod-autoscaler-initial-readiness-delay': '0s',
      'horizontal-pod-autoscaler-cpu-initialization-period': '0s',
    }),
    'kube-scheduler': settings(alone),
    kwok: settings({
      kubeconfig: at('kubeconfig'),
      config: stages,
      'manage-all-nodes': true,
      'node-ip': '10.0.0.1',
    }),
  }
}

function writeFiles({ folder, server }: Places): void {
  const file = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  file('accounts.pem', privateKey)
  file('tokens.csv', 'admin-of-the-test,admin,admin,system:masters\n')
  file('admission.json', JSON.stringify(admission))
  const address = `https://127.0.0.1:${server}`
  const authority = join(folder, 'certificates/apiserver.crt')
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'here', cluster: { server: address, 'certificate-authority': authority } }],
    users: [{ name: 'admin', user: { token: 'admin-of-the-test' } }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'admin' } }],
    'current-context': 'here',
  }
  file('kubeconfig', JSON.stringify(kubeconfig))
}

export async function startControlPlane(folder: string): Promise<ControlPlane> {
  const [etcd, peers, server] = (await freePorts(3)) as [number, number, number]
  const places = { folder, etcd, peers, server }
  writeFiles(places)
  const arguments_ = programsOf(places)
  const children: ChildProcess[] = []
  const start = (program: string) => {
    const out = openSync(join(folder, `${program}.log`), 'a')
    const child = spawn(program, arguments_[program] as string[], { stdio: ['ignore', out, out] })
    children.push(child)
    return () => {
      if (child.exitCode !== null)
        throw new Error(
          `${program} ended: ${readFileSync(join(folder, `${program}.log`), 'utf8').slice(-3_000)}`,
        )
    }
  }
  const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder }
  const shell: ControlPlane['shell'] = async (lines, cwd = '.') => {
    const options = { env, cwd, maxBuffer: 64 << 20 }
    const { stdout, stderr } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', lines], options)
    return `${stdout}${stderr}`.trim()
  }
  const kubectl: ControlPlane['kubectl'] = async (...args) =>
    String((await run('kubectl', args, { env, maxBuffer: 64 << 20 })).stdout).trim()

  start('etcd')
  const serverLives = start('kube-apiserver')
  const isReady = () =>
    kubectl('get', '--raw', '/readyz').then(
      () => true,
      () => serverLives(),
    )
  const certificate = (name: string) => join(folder, 'certificates', `apiserver.${name}`)
  await until(async () => existsSync(certificate('crt')) && (await isReady()), 'the API server', startMs)
  for (const program of ['kube-controller-manager', 'kube-scheduler', 'kwok']) start(program)
  return {
    certificate: { cert: readFileSync(certificate('crt')), key: readFileSync(certificate('key')) },
    shell,
    kubectl,
    async put(...items) {
      const list = join(folder, 'put.json')
      writeFileSync(list, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
      await kubectl('apply', '--filename', list)
    },
    async close() {
      for (const child of children.toReversed()) {
        if (child.exitCode !== null) continue
        child.kill()
        await once(child, 'exit')
      }
    },
  }
}

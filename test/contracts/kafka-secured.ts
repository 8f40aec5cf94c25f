/** A real Kafka node with TLS, every login and the broker's own authorizer. Its plain listener is only for the operator. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type Identity, issue, keyPem, pemOf } from '../../services/sandbox/certificates.ts'
import { scratchFolder } from '../scratch.ts'
import { freePorts, hasMaven } from './java.ts'
import { mavenNode } from './kafka-node.ts'

const dayMs = 86_400_000

export interface Secured {
  /** Plain, with all rights. */
  operator: string
  /** TLS with a login. */
  login: string
  /** TLS with a certificate of the client. */
  certified: string
  /** The file of the authority that signed the broker's certificate. */
  ca: string
  /** Files of a certificate and its key. */
  certificate(
    name: string,
    from?: 'ours' | 'a stranger',
    ended?: boolean,
  ): Promise<{ cert: string; key: string }>
  /** The file of an authority that signed nothing here. */
  strangersCa: string
  stop(): Promise<void>
}

/** With KAFKA_TESTS=required, a missing broker is an error. `users` has the name and secret of each. */
export async function startSecured(
  users: Readonly<Record<string, string>>,
): Promise<Secured | { skipped: string }> {
  if (!(await hasMaven())) {
    const skipped = 'no Kafka with TLS: no mvn with Java 17 is here'
    if (process.env.KAFKA_TESTS === 'required') throw new Error(skipped)
    return { skipped }
  }
  const folder = join(scratchFolder(afterAll), 'certificates')
  await mkdir(folder, { recursive: true })
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }
  const certificate = (der: Uint8Array) => pemOf('CERTIFICATE', der)
  const [from, to] = [new Date(Date.now() - dayMs), new Date(Date.now() + dayMs)]
  const [ours, strangers] = (await Promise.all(
    ['ours', 'a stranger'].map(name => issue({ name, from, to })),
  )) as [Identity, Identity]
  const broker = await issue({ name: 'broker', from, to, hosts: ['localhost'] }, ours)
  const ca = await file('ca.pem', certificate(ours.der))
  const keystore = await file(
    'broker.pem',
    (await keyPem(broker.keys)) + certificate(broker.der) + certificate(ours.der),
  )

  const ports = (await freePorts(4)) as [number, number, number, number]
  const [plain, login, certified, controllerPort] = ports
  const jaas = (module: string, more = '') => `org.apache.kafka.common.security.${module} required${more};`
  const plainUsers = Object.entries(users)
    .map(([name, secret]) => ` user_${name}="${secret}"`)
    .join('')
  const bearers = ' unsecuredLoginStringClaim_sub="broker"'
  const node = await mavenNode({
    ...{
      id: 1,
      port: plain,
      controllerPort,
      voters: [`1@127.0.0.1:${controllerPort}`],
      heapMb: 256,
      isShortLived: true,
    },
    scram: users,
    settings: {
      listeners: `PLAINTEXT://127.0.0.1:${plain},LOGIN://127.0.0.1:${login},CERTIFIED://127.0.0.1:${certified},CONTROLLER://127.0.0.1:${controllerPort}`,
      'advertised.listeners': `PLAINTEXT://127.0.0.1:${plain},LOGIN://localhost:${login},CERTIFIED://localhost:${certified}`,
      'listener.security.protocol.map':
        'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,LOGIN:SASL_SSL,CERTIFIED:SSL',
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.location': keystore,
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.location': ca,
      'listener.name.certified.ssl.client.auth': 'required',
      'listener.name.certified.ssl.principal.mapping.rules': 'RULE:^CN=([^,]+).*$/$1/',
      'listener.name.login.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
      'listener.name.login.plain.sasl.jaas.config': jaas('plain.PlainLoginModule', plainUsers),
      'listener.name.login.scram-sha-256.sasl.jaas.config': jaas('scram.ScramLoginModule'),
      'listener.name.login.scram-sha-512.sasl.jaas.config': jaas('scram.ScramLoginModule'),
      'listener.name.login.oauthbearer.sasl.jaas.config': jaas('oauthbearer.OAuthBearerLoginModule', bearers),
      // A session of a token ends, so the client has to log in again while it works. kafkajs does so ten seconds before.
      'listener.name.login.oauthbearer.connections.max.reauth.ms': 11_000,
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS',
    },
  })
  await node.start()
  return {
    operator: node.address,
    login: `localhost:${login}`,
    certified: `localhost:${certified}`,
    ca,
    strangersCa: await file('strangers-ca.pem', certificate(strangers.der)),
    certificate: async (name, by = 'ours', ended = false) => {
      const life = ended ? { from: new Date(0), to: new Date(dayMs) } : { from, to }
      const own = await issue({ name, ...life }, by === 'ours' ? ours : strangers)
      const place = `${name}-${by === 'ours' ? 'ours' : 'foreign'}${ended ? '-ended' : ''}`
      return {
        cert: await file(`${place}.pem`, certificate(own.der)),
        key: await file(`${place}-key.pem`, await keyPem(own.keys)),
      }
    },
    stop: node.remove,
  }
}

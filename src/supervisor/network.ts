import { type Clock, systemClock } from '../core/clock.ts'
import { Deadlines } from '../core/deadlines.ts'
import { errorMessage } from '../core/errors.ts'
import { redactLine } from '../core/text/index.ts'
import { listenWithRetry } from '../http/listen-with-retry.ts'
import { type OpenSocialOptions, openSocial } from '../social/open.ts'
import { hashSecret } from '../social/shared/index.ts'
import type { Social } from '../social/social.ts'
import { Home } from './home.ts'
import { lockNetwork } from './network-lock.ts'
import { stackOf } from './stack.ts'

export interface NetworkDependencies extends Pick<OpenSocialOptions, 'writer' | 'metrics'> {
  home: Home
  clock: Clock
  deadlines: Deadlines
  listener: OpenSocialOptions['listener']
  /** Host names and origins to accept besides the loopback ones. */
  hosts: readonly string[]
  origins: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  report(message: string): void
}

/** Opens the agents' network of a home, for the process that has its lock. */
export const openNetwork = ({ home, report, ...dependencies }: NetworkDependencies): Promise<Social> =>
  openSocial({
    ...dependencies,
    home: home.path,
    operator: hashSecret(home.operatorToken()),
    report: (error, occasion) => report(occasion ? `${occasion.id}: ${stackOf(error)}` : errorMessage(error)),
  })

export interface NetworkServeOptions {
  home: string | undefined
  host: string
  port: number
  /** Host names and origins to accept besides the loopback ones. */
  allowHosts: readonly string[]
  allowOrigins: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  report(message: string): void
}

/** Runs the network alone, as a process of its own: no cities, no agents, no host. */
export async function serveNetwork(options: NetworkServeOptions): Promise<{ url: string; stop(): Promise<void> }> {
  await using resources = new AsyncDisposableStack()
  const report = (message: string) => options.report(redactLine(message))
  const deadlines = new Deadlines(systemClock, undefined, (error) => report(errorMessage(error)))
  resources.defer(() => deadlines.close())
  const { host, port, allowHosts: hosts, allowOrigins: origins, env } = options
  const listener = { host, isOwn: true, bound: () => listening }
  const home = Home.open(options.home)
  lockNetwork(home, resources)
  const network = await openNetwork({ home, clock: systemClock, deadlines, listener, hosts, origins, env, report })
  resources.defer(() => network.close())
  const trace = (error: unknown) => report(stackOf(error))
  const listening = await listenWithRetry(network.handler, { host, port, deadlines, report: trace })
  resources.defer(() => listening.stop())
  const open = resources.move()
  return { url: listening.url, stop: () => open.disposeAsync() }
}

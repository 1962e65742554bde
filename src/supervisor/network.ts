import { type Clock, systemClock } from '../core/clock.ts'
import { Deadlines } from '../core/deadlines.ts'
import { AppError, errorMessage } from '../core/errors.ts'
import { redactLine } from '../core/text/index.ts'
import { listenWithRetry, requireUnused } from '../http/listen-with-retry.ts'
import { type ConfiguredSocial, type OpenSocialOptions, openSocial } from '../social/open.ts'
import { hashSecret } from '../social/shared/index.ts'
import { Home } from './home.ts'
import { lockNetwork } from './network-lock.ts'
import { Readers } from './readers/index.ts'
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
export const openNetwork = ({ home, report, ...dependencies }: NetworkDependencies): Promise<ConfiguredSocial> =>
  openSocial({
    ...dependencies,
    home: home.path,
    operator: hashSecret(home.operatorToken()),
    report: (error, occasion) => report(occasion ? `${occasion.id}: ${stackOf(error)}` : errorMessage(error)),
  })

export interface NetworkServeOptions {
  home: string
  host: string
  port: number
  /** Host names and origins to accept besides the loopback ones. */
  allowHosts: readonly string[]
  allowOrigins: readonly string[]
  /** Number of further processes that serve reads. */
  readers: number
  /** The command that starts this program. */
  program: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  report(message: string): void
}

/** Runs the network alone, as a process of its own: no cities, no agents, no host. */
export async function serveNetwork(options: NetworkServeOptions): Promise<{ url: string; stop(): Promise<void> }> {
  await using resources = new AsyncDisposableStack()
  const report = (message: string) => options.report(redactLine(message))
  const deadlines = new Deadlines(systemClock, undefined, (error) => report(errorMessage(error)))
  resources.defer(() => deadlines.close())
  const { host, port, allowHosts: hosts, allowOrigins: origins, env, readers: count, program } = options
  if (count > 0 && process.platform !== 'linux')
    throw new AppError('invalid-request', '--readers needs Linux, where processes share a port')
  const listener = { host, isOwn: true, bound: () => listening }
  const home = Home.open(options.home)
  lockNetwork(home, resources)
  const network = await openNetwork({ home, clock: systemClock, deadlines, listener, hosts, origins, env, report })
  resources.defer(() => network.close())
  const trace = (error: unknown) => report(stackOf(error))
  const sharesPort = count > 0
  if (sharesPort) await requireUnused({ host, port, deadlines })
  const listening = await listenWithRetry(network.handler, { host, port, deadlines, sharesPort, report: trace })
  resources.defer(() => listening.stop())
  if (sharesPort) {
    const setup = { ...setupOf(network), home: home.path, host, port: listening.port, origins }
    await Readers.start({ count, social: network, setup, program, env, deadlines, report }, resources)
  }
  const open = resources.move()
  return { url: listening.url, stop: () => open.disposeAsync() }
}

/** Settings of the network for a reader; the mail server belongs to the writer. */
const setupOf = ({ network, hosts, hasProviders }: ConfiguredSocial) => ({
  ...{ hosts, hasProviders, settings: { ...network.settings, smtp: undefined }, url: network.baseUrl() },
})

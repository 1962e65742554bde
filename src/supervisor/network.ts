import { join } from 'node:path'
import { type Clock, systemClock } from '../core/clock.ts'
import { Deadlines } from '../core/deadlines.ts'
import { errorMessage } from '../core/errors.ts'
import { Lock } from '../core/lock.ts'
import { redact } from '../core/redact.ts'
import type { Side } from '../http/app.ts'
import { listenPatiently } from '../http/patient.ts'
import { openSocial } from '../social/open.ts'
import { hashOf } from '../social/text.ts'
import { Home } from './home.ts'
import { traceOf } from './trace.ts'

interface Parts {
  home: Home
  clock: Clock
  deadlines: Deadlines
  /** Names of this server beside those of this machine. */
  hosts: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  report(message: string): void
}

/** Opens the agents' network of a home; one process at a time holds it. */
export function openNetwork({ home, clock, deadlines, hosts, env, report }: Parts, held: AsyncDisposableStack): Side {
  const lock = Lock.take(join(home.path, 'social.lock'), 'a gc serve that runs its network')
  held.defer(() => lock.release())
  const social = openSocial({
    ...{ home: home.path, clock, deadlines, hosts, env },
    operator: hashOf(home.operatorToken()),
    report: (error, occasion) => report(occasion ? `${occasion.id}: ${traceOf(error)}` : errorMessage(error)),
  })
  held.defer(() => social.close())
  return social.side
}

export interface NetworkServeOptions {
  home: string | undefined
  host: string
  port: number
  /** Host names beside the loopback ones. */
  allowHosts: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  report(message: string): void
}

/** Runs the network alone, as a process of its own: no cities, no agents, no host. */
export async function serveNetwork(options: NetworkServeOptions): Promise<{ url: string; stop(): Promise<void> }> {
  await using held = new AsyncDisposableStack()
  const report = (message: string) => options.report(redact(message))
  const deadlines = new Deadlines(systemClock, undefined, (error) => report(errorMessage(error)))
  held.defer(() => deadlines.close())
  const { allowHosts: hosts, env } = options
  const parts = { home: Home.open(options.home), clock: systemClock, deadlines, hosts, env, report }
  const side = openNetwork(parts, held)
  const where = { host: options.host, port: options.port, deadlines }
  const listening = await listenPatiently(side, { ...where, report: (error) => report(traceOf(error)) })
  held.defer(() => listening.stop())
  const open = held.move()
  return { url: listening.url, stop: () => open.disposeAsync() }
}

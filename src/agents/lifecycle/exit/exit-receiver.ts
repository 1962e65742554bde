import type { SessionHost } from '../../../host/client/index.ts'
import type { Exit as HostedExit } from '../../../host/protocol/index.ts'
import type { SessionRepository } from '../../../work/sessions/index.ts'
import type { Traffic } from '../../confinement/index.ts'
import type { LastOutputs } from '../../conversations/index.ts'
import type { SessionProcesses } from '../act/processes.ts'
import type { DetachedProcesses } from '../detached/detached-processes.ts'
import type { ProcessExit } from '../plan/exit-rules.ts'
import type { LoginWatcher } from './login-watcher.ts'

interface ExitReceiverOptions {
  city: string
  host: Pick<SessionHost, 'onExit'>
  repository: Pick<SessionRepository, 'find' | 'findByHostKey'>
  processes: Pick<SessionProcesses, 'recordExit'>
  loginWatcher: Pick<LoginWatcher, 'statementIn'>
  detached: Pick<DetachedProcesses, 'remember'>
  traffic: Pick<Traffic, 'keep'>
  lastOutputs: Pick<LastOutputs, 'keep'>
}

/** Receives the exits that the host reports; the host forgets each once what follows from it is on disk. */
export class ExitReceiver {
  readonly #underWay = new Set<Promise<boolean>>()
  #unsubscribe: (() => void) | undefined

  constructor(private readonly options: ExitReceiverOptions) {}

  start(): void {
    this.#unsubscribe ??= this.options.host.onExit((exit) => this.#receive(exit))
  }

  /** Receives no more; resolves when what was received is stored. */
  async stop(): Promise<void> {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    await Promise.allSettled(this.#underWay)
  }

  /** False when the exit is that of another city's session. */
  async #receive(exit: HostedExit): Promise<boolean> {
    const stored = this.#store(exit)
    this.#underWay.add(stored)
    return stored.finally(() => this.#underWay.delete(stored))
  }

  async #store(exit: HostedExit): Promise<boolean> {
    const { city, repository, processes, loginWatcher, detached, traffic, lastOutputs } = this.options
    const [cityName, id = ''] = exit.key.split('/')
    if (cityName !== city) return false
    if (exit.traffic?.length) await traffic.keep(id, exit.run, exit.traffic)
    if (repository.find(id)) await lastOutputs.keep(id, exit.lastOutput, Date.parse(exit.endedAt))
    if (exit.daemons.length > 0) await detached.remember(id, exit.daemons)
    const row = repository.findByHostKey(exit.key)
    if (!row) return true
    const output = exit.lastOutput.slice(-20).join('\n').trim().slice(-2000)
    const statement = row.origin === 'manual' ? {} : loginWatcher.statementIn(row, exit.lastOutput)
    await processes.recordExit(row.id, exit.key, { ...toExit(exit), ...statement }, output || undefined)
    return true
  }
}

function toExit({ reason, exitCode, signal, memoryLack }: HostedExit): ProcessExit {
  if (reason === 'host-lost' || reason === 'unattended' || reason === 'shutdown') return { how: 'lost' }
  const why = memoryLack && { memoryLack }
  if (signal !== undefined) return { how: 'signalled', signal, ...why }
  return { how: 'exited', ...(exitCode !== undefined && { code: exitCode }), ...why }
}

import { effectiveOptions } from '../../config/providers/index.ts'
import { AppError } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import type { SessionHost } from '../../host/client/index.ts'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import {
  isRunning,
  type RunningSession,
  type SessionRepository,
  type SessionResolver,
  type SessionResponse,
  type SessionRow,
} from '../../work/sessions/index.ts'
import type { AcpConversations } from '../conversations/index.ts'
import type { LaunchPlanner } from '../launch/index.ts'
import type { SessionView } from './view.ts'

interface PermissionModesOptions {
  store: Store
  host: Pick<SessionHost, 'mode'>
  repository: SessionRepository
  resolver: SessionResolver
  launchPlanner: LaunchPlanner
  conversations: AcpConversations
  view: SessionView
}

const RUNNING = new Set(['active', 'start-pending', 'creating', 'draining', 'quarantined'])

/** Changes what sessions may do without asking. */
export class PermissionModes {
  constructor(private readonly options: PermissionModesOptions) {}

  /** Sets the mode of a session's next start; a running program that uses ACP switches immediately. */
  async choose(token: string, caller: Caller, mode: string): Promise<SessionResponse> {
    const { store, host, resolver, view } = this.options
    const row = resolver.resolve(token, { past: true })
    if (this.#isSwitchable(row)) await host.mode(row.hostKey, this.#checkAcpMode(row, mode))
    return store.write((tx) => view.show(this.#save(tx, row, mode)), actorOf(caller))
  }

  #isSwitchable(row: SessionRow): row is RunningSession {
    return row.state === 'active' && isRunning(row) && this.options.conversations.usesAcp(row.hostKey)
  }

  #save(tx: Tx, row: SessionRow, mode: string): SessionRow {
    const { repository, launchPlanner, conversations } = this.options
    if (row.state === 'closed') throw new AppError(SESSION_CONFLICT, 'conflict: session is closed')
    if (RUNNING.has(row.state) && !this.#isSwitchable(row)) {
      throw new AppError(SESSION_CONFLICT, 'conflict: session is running; suspend it first, then choose')
    }
    if (launchPlanner.transport(row) === 'acp') {
      conversations.requestMode(tx, row, this.#checkAcpMode(row, mode))
      return row
    }
    const agent = row.kind === 'agent' ? launchPlanner.agent(row.template) : undefined
    if (row.kind === 'agent' && !agent) {
      throw new AppError(SESSION_CONFLICT, `conflict: agent ${row.template} is no longer in the configuration`)
    }
    const provider = agent ? launchPlanner.providerOf(agent) : launchPlanner.provider(row.provider)
    if (!provider?.optionsSchema.some(({ key }) => key === 'permission_mode')) {
      throw new AppError('not-implemented', `unsupported: ${row.provider} has no permission modes`)
    }
    const options = { ...row.options, permission_mode: mode }
    effectiveOptions(provider, agent?.optionDefaults, options)
    return repository.update(tx, row.id, { options })
  }

  /** Programs that use ACP list their modes themselves once they have run. */
  #checkAcpMode(row: SessionRow, mode: string): string {
    const modes = this.options.conversations.modes(row.id, row.template).map(({ id }) => id)
    if (modes.length === 0) {
      throw new AppError('not-implemented', `unsupported: ${row.provider} has not listed its modes yet; start it once`)
    }
    if (!modes.includes(mode)) {
      throw new AppError('invalid-request', `${row.provider} has no mode "${mode}"; it has ${modes.join(', ')}`)
    }
    return mode
  }
}

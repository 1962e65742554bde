import { effectiveOptions } from '../../config/providers/launch.ts'
import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store.ts'
import { SESSION_CONFLICT } from '../../host/protocol/errors.ts'
import type { BuiltParts } from './parts.ts'
import type { SessionRow } from './table.ts'
import { isRunning, type RunningSession } from './view.ts'

const RUNNING = new Set(['active', 'start-pending', 'creating', 'draining', 'quarantined'])

/** Whether a session's program runs and can be told a mode as it runs. */
export const isSpokenTo = ({ conversations }: BuiltParts, row: SessionRow): row is RunningSession =>
  row.state === 'active' && isRunning(row) && conversations.usesAcp(row.hostKey)

/** Chooses the permission mode of a session's next start; a running program keeps the one it has. */
export function choosePermissionMode(parts: BuiltParts, tx: Tx, row: SessionRow, mode: string): SessionRow {
  const { book, launcher, conversations } = parts
  if (row.state === 'closed') throw new AppError(SESSION_CONFLICT, 'conflict: session is closed')
  if (RUNNING.has(row.state) && !isSpokenTo(parts, row)) {
    throw new AppError(SESSION_CONFLICT, 'conflict: session is running; suspend it first, then choose')
  }
  if (launcher.transport(row) === 'acp') {
    conversations.requestMode(tx, row, offeredMode(parts, row, mode))
    return row
  }
  const agent = row.kind === 'agent' ? launcher.agent(row.template) : undefined
  if (row.kind === 'agent' && !agent) {
    throw new AppError(SESSION_CONFLICT, `conflict: agent ${row.template} is not in the configuration any more`)
  }
  const provider = agent ? launcher.providerOf(agent) : launcher.provider(row.provider)
  if (!provider?.optionsSchema.some(({ key }) => key === 'permission_mode')) {
    throw new AppError('not-implemented', `unsupported: ${row.provider} has no permission modes`)
  }
  const options = { ...row.options, permission_mode: mode }
  effectiveOptions(provider, agent?.optionDefaults, options)
  return book.update(tx, row.id, { options })
}

/** A mode of a program that is spoken to by protocol, which tells its modes itself, once it has run. */
export function offeredMode({ conversations }: BuiltParts, row: SessionRow, mode: string): string {
  const modes = conversations.modes(row.id, row.template).map(({ id }) => id)
  if (modes.length === 0) {
    throw new AppError('not-implemented', `unsupported: ${row.provider} has told of no modes; start it once`)
  }
  if (!modes.includes(mode)) {
    throw new AppError('invalid-request', `${row.provider} has no mode "${mode}"; it has ${modes.join(', ')}`)
  }
  return mode
}

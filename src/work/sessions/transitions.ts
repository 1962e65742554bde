import { AppError } from '../../core/errors.ts'
import { SESSION_CONFLICT } from '../errors.ts'

/** The state of a session, as it is stored. */
export type SessionState =
  | 'start-pending'
  | 'creating'
  | 'active'
  | 'asleep'
  | 'suspended'
  | 'quarantined'
  | 'draining'
  | 'archived'
  | 'failed-create'
  | 'closed'

/** A command that changes a session's state. */
export type Command =
  | 'begin'
  | 'ready'
  | 'retry'
  | 'fail'
  | 'suspend'
  | 'wake'
  | 'release'
  | 'sleep'
  | 'quarantine'
  | 'drain'
  | 'undrain'
  | 'archive'
  | 'close'
  | 'reopen'

interface Transition {
  from: readonly SessionState[]
  to: SessionState
}

const LIVE: readonly SessionState[] = [
  'start-pending',
  'creating',
  'active',
  'asleep',
  'suspended',
  'quarantined',
  'draining',
  'archived',
  'failed-create',
]

/** All states. */
export const STATES: ReadonlySet<string> = new Set<string>([...LIVE, 'closed'])

/** All transitions; every other command is rejected. */
export const TRANSITIONS: Readonly<Record<Command, Transition>> = {
  begin: { from: ['start-pending', 'asleep'], to: 'creating' },
  ready: { from: ['creating'], to: 'active' },
  retry: { from: ['creating'], to: 'start-pending' },
  fail: { from: ['start-pending', 'creating'], to: 'failed-create' },
  suspend: { from: ['active', 'asleep', 'quarantined'], to: 'suspended' },
  wake: { from: ['asleep', 'suspended', 'quarantined', 'archived'], to: 'asleep' },
  release: { from: ['quarantined'], to: 'asleep' },
  sleep: { from: ['active', 'draining', 'creating'], to: 'asleep' },
  quarantine: { from: ['active', 'asleep', 'creating'], to: 'quarantined' },
  drain: { from: ['active'], to: 'draining' },
  undrain: { from: ['draining'], to: 'active' },
  archive: { from: ['active', 'asleep', 'suspended', 'quarantined', 'draining'], to: 'archived' },
  close: { from: LIVE, to: 'closed' },
  reopen: { from: ['closed'], to: 'asleep' },
}

/** The state that a command leads to; throws where the state does not accept it. */
export function transition(from: SessionState, command: Command): SessionState {
  const { from: allowed, to } = TRANSITIONS[command]
  if (allowed.includes(from)) return to
  throw new AppError(
    SESSION_CONFLICT,
    `illegal_transition: illegal transition: state "${from}" does not accept command "${command}"`,
  )
}

import { AppError } from '../../core/errors.ts'
import type { Caller } from '../../http/caller.ts'
import { isEngineKey, ResultKey } from '../metadata.ts'
import type { BeadChange } from './draft.ts'
import type { Bead } from './schema.ts'

/** Who has a bead in hand. */
export interface BeadHolder {
  session: string
  name: string
}

interface BeadProtectionOptions {
  /** Who has a bead in hand; undefined when nobody has. */
  holderOf(bead: string): BeadHolder | undefined
  /** The run that gc runs by its formula, which a bead is of; undefined when there is none. */
  runOf(bead: Bead): string | undefined
  /** Whether a message is for this session. */
  isMailFor(message: string, session: string): boolean
}

/** Rejects what a caller may not do to a bead: some are changed by other operations, and some are in others' hands. */
export class BeadProtection {
  constructor(private readonly options: BeadProtectionOptions) {}

  /** Throws when the caller may not make this change; with `force`, what others hold may be taken away. */
  check(
    caller: Caller,
    bead: Bead,
    change: Pick<BeadChange, 'status' | 'type' | 'assignee' | 'metadata'>,
    force = false,
  ): void {
    this.#checkRun(bead, change)
    if (bead.issue_type === 'session') checkSession(bead, change)
    if (caller.kind !== 'session' && caller.kind !== 'process') return
    if (bead.issue_type === 'message') this.#checkMail(caller, bead, change)
    if (!force) this.#checkHolder(caller, bead, change)
  }

  #checkRun(bead: Bead, { metadata = {} }: Pick<BeadChange, 'metadata'>): void {
    const changed = Object.entries(metadata).find(
      ([key, value]) => isEngineKey(key) && (value ?? undefined) !== bead.metadata?.[key],
    )
    const run = changed && this.options.runOf(bead)
    if (!run) return
    const { outcome, failureReason, outputJson } = ResultKey
    throw new AppError(
      'conflict-wrong-state',
      `${changed[0]} of bead ${bead.id} is written by gc alone, which runs it as a part of run ${run}: report what came of ` +
        `it in ${outcome}, ${failureReason}, ${outputJson} or keys of your own`,
    )
  }

  #checkMail(caller: Caller, { id }: Bead, { status }: Pick<BeadChange, 'status'>): void {
    if (status === undefined || (caller.kind === 'session' && caller.may.includes('mail'))) return
    if (caller.kind === 'session' && this.options.isMailFor(id, caller.session)) return
    throw new AppError('forbidden', `forbidden: message ${id} is not yours; a session needs "mail" to close it`)
  }

  #checkHolder(caller: Caller, { id, assignee }: Bead, { status, assignee: next }: BeadChange): void {
    const holder = this.options.holderOf(id)
    if (!holder || (caller.kind === 'session' && holder.session === caller.session)) return
    const takesAway = (status !== undefined && status !== 'in_progress') || (next !== undefined && next !== assignee)
    if (!takesAway) return
    throw new AppError(
      'conflict-wrong-state',
      `bead ${id} is held by ${holder.name}, who works on it; add force to take it away`,
    )
  }
}

function checkSession({ id, status }: Bead, change: Pick<BeadChange, 'status' | 'type'>): void {
  const isChanged = change.status !== undefined && change.status !== status
  if (!isChanged && (change.type === undefined || change.type === 'session')) return
  throw new AppError(
    'conflict-wrong-state',
    `bead ${id} is a session, which does not end as a bead does: close it with gc session close ${id}`,
  )
}

import { invalidField } from '../../core/errors.ts'
import type { Tx } from '../../core/store/store.ts'
import type { Caller } from '../../http/caller.ts'
import { sessionOf } from '../actor.ts'
import type { BeadChange, BeadDraft, WriteOptions } from './draft.ts'
import type { AssigneeResolver } from './extensions.ts'
import type { BeadProtection } from './protection.ts'
import type { BeadRepository } from './repository.ts'
import type { Bead, BeadCreateInputBody, BeadUpdateBody } from './schema.ts'

export interface BeadRequestsOptions {
  /** The city's name. */
  city: string
  repository: BeadRepository
  assignees: AssigneeResolver
  protection: BeadProtection
}

/** Whether a bead is work to keep. */
interface Kept {
  ephemeral?: boolean | undefined
}

/** Writes beads as callers describe them: assignees are resolved, and the caller is recorded. */
export class BeadRequests {
  readonly #city: string
  readonly #repository: BeadRepository
  readonly #assignees: AssigneeResolver
  readonly #protection: BeadProtection

  constructor({ city, repository, assignees, protection }: BeadRequestsOptions) {
    this.#city = city
    this.#repository = repository
    this.#assignees = assignees
    this.#protection = protection
  }

  /** Creates a bead; `needs` are what it depends on: `id` blocks it, `type:id` depends otherwise. */
  create(tx: Tx, body: BeadCreateInputBody & Kept, needs?: readonly string[]): Bead {
    return this.#repository.add(tx, this.draft(tx, body, needs))
  }

  /** A bead as a caller describes it. */
  draft(tx: Tx, { assignee, defer_until, ...rest }: BeadCreateInputBody & Kept, needs?: readonly string[]): BeadDraft {
    const deferUntil = defer_until === undefined ? undefined : parseDeferUntil(defer_until)
    return { ...rest, needs, deferUntil, assignee: this.resolveAssignee(tx, assignee) }
  }

  update(tx: Tx, caller: Caller, id: string, body: BeadUpdateBody & Kept, force = false): Bead {
    const { assignee, remove_labels: removeLabels, priority, ...rest } = body
    if (priority === null) {
      throw invalidField('body.priority', 'priority cannot be removed: set another value, or leave the field out')
    }
    const stored = this.#repository.load(tx, id)
    const change = { ...rest, priority, removeLabels, assignee: this.resolveAssignee(tx, assignee) }
    this.check(caller, stored.bead, change, force)
    return this.#repository.change(tx, stored, change, this.optionsFor(caller))
  }

  /** Throws when the caller may not make this change. */
  check(caller: Caller, bead: Bead, change: BeadChange, force = false): void {
    this.#protection.check(caller, bead, change, force)
  }

  /** The name that is stored as assignee; '' is nobody. */
  resolveAssignee(tx: Tx, token: string | undefined): string | undefined {
    const trimmed = token?.trim()
    return trimmed ? this.#assignees.resolve(tx, trimmed, { materialise: true }) : trimmed
  }

  optionsFor(caller: Caller): WriteOptions {
    return { session: sessionOf(caller, this.#city) }
  }
}

function parseDeferUntil(value: string): number {
  const timestamp = Date.parse(value)
  if (!Number.isNaN(timestamp)) return timestamp
  throw invalidField('body.defer_until', `defer_until is not a timestamp: ${value}; write it as 2030-01-31T09:00:00Z`)
}

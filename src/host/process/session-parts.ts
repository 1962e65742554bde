import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import type { Redactor } from '../../core/text/redact.ts'
import type { Confiner } from '../confine/start/confiner.ts'
import type { Cgroup } from './cgroups.ts'
import type { Resource } from './resources.ts'

/** What a session of any kind is given by its host. */
export interface SessionParts {
  clock: Clock
  deadlines: Deadlines
  redactor: Redactor
  /** Variables by which its processes are recognized. */
  marks: string[]
  /** Where its processes are started. */
  cgroup: Cgroup | undefined
  /** The resources that other programs are to have first where the machine is short of them. */
  yields: readonly Resource[]
  confiner: Confiner
}

/** Where a session begins. */
export type SessionOrigin = Pick<SessionParts, 'marks' | 'cgroup' | 'yields'>

import type { Bead } from '../../work/beads/index.ts'
import { WorkflowKey } from '../../work/metadata.ts'
import { metadataValue } from './node.ts'

/** Kinds of controls that begin attempts at their step. */
const WITH_ATTEMPTS: ReadonlySet<string> = new Set(['retry', 'ralph', 'check', 'retry-eval', 'until'])
const ATTEMPT_REF = /\.(?:attempt|iteration)\.\d+(?=[.-]|$)/

export const hasAttempts = (bead: Bead): boolean => WITH_ATTEMPTS.has(metadataValue(bead, WorkflowKey.kind))

/** True if a bead is an attempt at a step, or belongs to one: it is history once a further attempt begins. */
export const isOfAttempt = (bead: Bead): boolean =>
  metadataValue(bead, WorkflowKey.attempt) !== '' || ATTEMPT_REF.test(bead.ref ?? '')

/** The number of an attempt; 0 for a bead that is none. */
export const attemptNumber = (bead: Bead): number => {
  const number = Number(metadataValue(bead, WorkflowKey.attempt))
  return Number.isSafeInteger(number) ? number : 0
}

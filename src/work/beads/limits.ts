import { invalidField } from '../../core/errors.ts'
import { ResultKey } from '../metadata.ts'
import type { BeadChange, BeadDraft } from './draft.ts'
import type { StoredMetadata } from './row.ts'

const KB = 1024

/** The most that a bead holds: bytes of each field, and the number of labels. */
export const BEAD_LIMITS = {
  title: KB,
  description: 256 * KB,
  metadata: 64 * KB,
  output: 1024 * KB,
  label: 256,
  word: 256,
  labels: 256,
} as const

/** Throws `validation-failed` for a field that is too long or empty. */
export function validateFields(bead: BeadDraft | BeadChange): void {
  checkLength('title', bead.title, BEAD_LIMITS.title, '1 KB')
  checkLength('description', bead.description, BEAD_LIMITS.description, '256 KB')
  checkLength('type', bead.type, BEAD_LIMITS.word, '256 bytes')
  checkLength('status', bead.status, BEAD_LIMITS.word, '256 bytes')
  checkLength('assignee', bead.assignee, BEAD_LIMITS.word, '256 bytes')
  for (const field of ['type', 'status'] as const) {
    if (bead[field]?.trim() === '') throw invalidBody(field, 'must not be empty')
  }
  if (bead.priority !== undefined && !Number.isSafeInteger(bead.priority)) {
    throw invalidBody('priority', 'is too far from 0: at most 9007199254740991 either way')
  }
  for (const label of bead.labels ?? []) checkLength('labels', label, BEAD_LIMITS.label, '256 bytes each')
}

/** Throws `validation-failed` for more labels or metadata than one bead may hold in all. */
export function validateTotals({ labels, metadata, output }: StoredMetadata & { labels: string }): void {
  if (JSON.parse(labels).length > BEAD_LIMITS.labels) throw tooLong('labels', `${BEAD_LIMITS.labels} in all`)
  if (Buffer.byteLength(metadata) > BEAD_LIMITS.metadata) throw tooLong('metadata', '64 KB in all')
  if (output !== null && Buffer.byteLength(output) > BEAD_LIMITS.output) {
    throw invalidBody('metadata', `has more than 1 MB in ${ResultKey.outputJson}: hand on the path of a file instead`)
  }
}

function checkLength(field: string, value: string | undefined, max: number, maxText: string): void {
  if (value !== undefined && Buffer.byteLength(value) > max) throw tooLong(field, maxText)
}

const tooLong = (field: string, maxText: string) => invalidBody(field, `is too long: at most ${maxText}`)

const invalidBody = (field: string, message: string) => invalidField(`body.${field}`, `${field} ${message}`)

import { invalidField } from '../../core/errors.ts'
import type { BeadChange, BeadDraft } from './draft.ts'

const KB = 1024
const bytes = (text: string): number => Buffer.byteLength(text)

/** The bounds of a bead's parts, in bytes. */
export const BOUNDS = {
  title: KB,
  description: 256 * KB,
  metadata: 64 * KB,
  label: 256,
  word: 256,
  labels: 256,
} as const

/** Refuses what is too long before anything is written. */
export function checkBounds(bead: BeadDraft | BeadChange): void {
  limit('title', bead.title, BOUNDS.title, '1 KB')
  limit('description', bead.description, BOUNDS.description, '256 KB')
  limit('type', bead.type, BOUNDS.word, '256 bytes')
  limit('status', bead.status, BOUNDS.word, '256 bytes')
  limit('assignee', bead.assignee, BOUNDS.word, '256 bytes')
  for (const word of ['type', 'status'] as const) if (bead[word]?.trim() === '') refuse(word, 'must not be empty')
  if (bead.priority !== undefined && !Number.isSafeInteger(bead.priority))
    refuse('priority', 'is too far from 0: at most 9007199254740991 either way')
  for (const label of bead.labels ?? []) limit('labels', label, BOUNDS.label, '256 bytes each')
}

/** Refuses more labels or metadata than one bead may hold in all. */
export function checkWhole({ labels, metadata }: { labels: string; metadata: string }): void {
  if (JSON.parse(labels).length > BOUNDS.labels) tooLong('labels', `${BOUNDS.labels} in all`)
  if (bytes(metadata) > BOUNDS.metadata) tooLong('metadata', '64 KB in all')
}

function limit(field: string, text: string | undefined, most: number, said: string): void {
  if (text !== undefined && bytes(text) > most) tooLong(field, said)
}

const tooLong = (field: string, said: string): never => refuse(field, `is too long: at most ${said}`)

function refuse(field: string, fault: string): never {
  throw invalidField(`body.${field}`, `${field} ${fault}`)
}

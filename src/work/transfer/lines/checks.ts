import { type AppError, invalidField } from '../../../core/errors.ts'
import { BEAD_LIMITS } from '../../beads/limits.ts'
import type { BeadValues } from '../../beads/row.ts'
import type { CommentDraft } from '../../comments/comments.ts'
import { COMMENT_LIMITS } from '../../comments/limits.ts'
import { ResultKey } from '../../metadata.ts'

/** Throws for what is no date; offsets and fractions of a second count. */
export function parseTimestamp(value: string, field: string, lineNumber: number): number {
  const timestamp = Date.parse(value)
  if (Number.isNaN(timestamp)) throw invalidLine(lineNumber, `has an invalid timestamp in ${field}: ${value}`)
  return timestamp
}

/** Throws for a bead that holds more than a bead may. */
export function checkSize(values: BeadValues, labels: readonly string[], lineNumber: number): void {
  const { title, description, metadata, output } = values
  const exceeds = (value: string, max: number) => Buffer.byteLength(value) > max
  if (exceeds(title, BEAD_LIMITS.title)) throw invalidLine(lineNumber, 'has a title of more than 1 KB')
  if (exceeds(description, BEAD_LIMITS.description)) {
    throw invalidLine(lineNumber, 'has a description of more than 256 KB')
  }
  if (exceeds(metadata, BEAD_LIMITS.metadata)) {
    throw invalidLine(lineNumber, 'has more than 64 KB of metadata and other fields')
  }
  if (output !== null && exceeds(output, BEAD_LIMITS.output)) {
    throw invalidLine(lineNumber, `has more than 1 MB in ${ResultKey.outputJson}`)
  }
  if (labels.length > BEAD_LIMITS.labels || labels.some((label) => exceeds(label, BEAD_LIMITS.label))) {
    throw invalidLine(lineNumber, 'has labels that are too many or too long')
  }
}

/** Throws for comments that are more or longer than a bead may have. */
export function checkComments(comments: readonly CommentDraft[], lineNumber: number): void {
  const sizeOf = ({ text }: CommentDraft) => Buffer.byteLength(text)
  const isTooLong = (name: string) => name.length > BEAD_LIMITS.word
  const total = comments.reduce((sum, comment) => sum + sizeOf(comment), 0)
  if (comments.length > COMMENT_LIMITS.count || total > COMMENT_LIMITS.all) {
    throw invalidLine(lineNumber, 'has more than 1,000 comments or 1 MB of them')
  }
  if (comments.some((comment) => sizeOf(comment) > COMMENT_LIMITS.text)) {
    throw invalidLine(lineNumber, 'has a comment of more than 64 KB')
  }
  if (comments.some(({ id, author }) => isTooLong(id) || isTooLong(author))) {
    throw invalidLine(lineNumber, 'has a comment with an id or author of more than 256 characters')
  }
}

/** The error of an invalid line. */
export const invalidLine = (lineNumber: number, message: string): AppError =>
  invalidField(`body.${lineNumber - 1}`, `line ${lineNumber} ${message}`)

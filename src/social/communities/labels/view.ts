import { timestamp } from '../../shared/index.ts'
import type { Attachment, Label } from './schema.ts'
import type { labelAttachments, labelDefinitions } from './table.ts'

export type LabelRow = typeof labelDefinitions.$inferSelect & { submolt_name: string }

/** An attachment with its label, and the identifier of what it marks. */
export interface AttachmentRow extends Omit<typeof labelAttachments.$inferSelect, 'definition'> {
  definition: number
  definition_id: string
  label: string
  submolt: number
  submolt_name: string
  target_id: string
  author: number
}

export const SELECT_LABEL =
  'SELECT d.*, s.name AS submolt_name FROM label_definitions d JOIN submolts s ON s.n = d.submolt'

export const SELECT_ATTACHMENT = `SELECT t.*, d.id AS definition_id, d.label, d.submolt, s.name AS submolt_name,
    iif(t.is_role = 1, a.id, p.id) AS target_id, iif(t.is_role = 1, a.n, p.author) AS author
  FROM label_attachments t JOIN label_definitions d ON d.n = t.definition JOIN submolts s ON s.n = d.submolt
  LEFT JOIN agents a ON t.is_role = 1 AND a.n = t.target LEFT JOIN posts p ON t.is_role = 0 AND p.n = t.target`

export const toLabel = (row: LabelRow): Label => ({
  ...{ id: row.id, key: row.key, label: row.label, color: row.color, kind: row.kind, prompt: row.prompt },
  ...{ cadence_minutes: row.cadence_minutes, submolt_name: row.submolt_name, created_at: timestamp(row.created_at) },
})

export const toAttachment = (row: AttachmentRow): Attachment => ({
  ...{ id: row.id, label_definition_id: row.definition_id, target_type: row.is_role === 1 ? 'agent' : 'post' },
  ...{ target_id: row.target_id, placement: row.placement },
})

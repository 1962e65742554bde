import { type Static, Type } from '@sinclair/typebox'

/** Maximum time one file may be: others that write wait while it is imported. */
export const MAX_IMPORT_BYTES = 64 * 1024 * 1024

/** A line that an import left out. */
export const SkippedLine = Type.Object(
  {
    line: Type.Integer({ description: 'Its number in the request, from 1.' }),
    kind: Type.String({
      description:
        '`older`: the bead here is newer; `held`: a live session works on the bead; `tombstone`: a deleted bead; `session`, ' +
        '`wait`: records of another city; else what the line says it is, such as `memory`.',
    }),
    id: Type.Optional(Type.String({ description: 'The bead, if the line names one.' })),
  },
  { $id: 'SkippedLine', additionalProperties: false },
)
export type SkippedLine = Static<typeof SkippedLine>

/** Number of created and changed beads of an import, with its skipped lines. */
export const BeadsImported = Type.Object(
  {
    created: Type.Integer(),
    updated: Type.Integer(),
    unchanged: Type.Integer(),
    skipped: Type.Integer({ description: 'Lines that were left out.' }),
    skips: Type.Record(Type.String(), Type.Integer(), { description: 'Lines that were left out, counted by kind.' }),
    skipped_lines: Type.Array(SkippedLine, { description: 'The first 1,000 of them, in order.' }),
  },
  { $id: 'BeadsImported', additionalProperties: false },
)
export type BeadsImported = Static<typeof BeadsImported>

/** Handling of existing beads by an import. */
export const ImportQuery = Type.Object({
  force: Type.Optional(
    Type.Boolean({
      description: 'Also replace beads that are newer here or in the hands of a session; for people only.',
    }),
  ),
})
export type ImportQuery = Static<typeof ImportQuery>

/** Maximum beads of one request for records. */
export const MAX_RECORDS = 200

export const BeadRecordQuery = Type.Object({
  ids: Type.Optional(
    Type.String({ description: `At most ${MAX_RECORDS} beads, separated by commas; none when absent.` }),
  ),
})
export type BeadRecordQuery = Static<typeof BeadRecordQuery>

const text = Type.Optional(Type.String())

/** A bead as `bd` writes it. */
export const BeadRecord = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    status: Type.String(),
    priority: Type.Integer({ description: '2 where the bead has none.' }),
    issue_type: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    closed_at: Type.Optional(Type.String({ format: 'date-time' })),
    close_reason: text,
    assignee: text,
    labels: Type.Optional(Type.Array(Type.String())),
    description: text,
    design: text,
    acceptance_criteria: text,
    notes: text,
    external_ref: text,
    dependencies: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), { description: 'With when and by whom each was added.' }),
    ),
    comment_count: Type.Optional(Type.Integer()),
    dependency_count: Type.Optional(Type.Integer()),
    dependent_count: Type.Optional(Type.Integer()),
  },
  {
    $id: 'BeadRecord',
    additionalProperties: true,
    description: 'A bead in the field names of `bd`, as in a line of the export. It includes unknown fields.',
  },
)
export type BeadRecord = Static<typeof BeadRecord>

export const BeadRecords = Type.Object(
  { items: Type.Array(BeadRecord, { description: 'In the order of the ids, without those that do not exist.' }) },
  { $id: 'BeadRecords', additionalProperties: false },
)
export type BeadRecords = Static<typeof BeadRecords>

/** All beads as one list, for callers that take only JSON. */
export const BeadsExported = Type.Object(
  { items: Type.Array(Type.Record(Type.String(), Type.Unknown(), { description: 'A bead, as its line shows it.' })) },
  { $id: 'BeadsExported', additionalProperties: false },
)

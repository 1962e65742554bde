import { type Static, Type } from '@sinclair/typebox'

const kinds = ['added', 'modified', 'deleted', 'renamed', 'copied', 'mode', 'binary', 'submodule', 'symlink'] as const
export type FileKind = (typeof kinds)[number]

const foldings = ['generated', 'lock', 'binary', 'large'] as const
export type Folding = (typeof foldings)[number]

const fileFields = {
  path: Type.String({ description: 'Bytes that are not UTF-8 are shown as `\\xff`.' }),
  old_path: Type.Optional(Type.String({ description: 'The path before a rename, or that it was copied from.' })),
  kind: Type.Union(
    kinds.map((kind) => Type.Literal(kind)),
    { description: '`mode`: only its permissions changed.' },
  ),
  old_mode: Type.Optional(
    Type.String({ description: 'As git prints it, such as `100644`; absent for a new or copied file.' }),
  ),
  mode: Type.Optional(Type.String({ description: 'Absent for a deleted file.' })),
  old_size: Type.Optional(Type.Integer({ description: 'Bytes.' })),
  size: Type.Optional(Type.Integer({ description: 'Bytes.' })),
  folded: Type.Optional(
    Type.Union(
      foldings.map((folding) => Type.Literal(folding)),
      { description: 'Reason its lines are left out of a page.' },
    ),
  ),
}

/** Ours: a file that differs between two commits. */
export const FileChange = Type.Object(
  {
    ...fileFields,
    added: Type.Optional(Type.Integer({ description: 'Lines; absent for a binary or large file.' })),
    removed: Type.Optional(Type.Integer()),
  },
  { $id: 'FileChange', additionalProperties: false },
)
export type FileChange = Static<typeof FileChange>

/** Ours: the files that differ between two commits. */
export const FileChanges = Type.Object(
  {
    items: Type.Array(FileChange, { description: 'The first 10,000, by path.' }),
    total: Type.Integer(),
    added: Type.Integer({ description: 'Lines added in these files.' }),
    removed: Type.Integer(),
  },
  { $id: 'FileChanges', additionalProperties: false },
)
export type FileChanges = Static<typeof FileChanges>

const Range = Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 })

export const DiffLine = Type.Object(
  {
    kind: Type.Union([Type.Literal(' '), Type.Literal('+'), Type.Literal('-')]),
    old: Type.Optional(Type.Integer({ description: 'Its number in the old file.' })),
    new: Type.Optional(Type.Integer({ description: 'Its number in the new file.' })),
    text: Type.String({ description: 'With the carriage return of a CRLF ending.' }),
    words: Type.Optional(
      Type.Array(Range, { description: 'Changed parts, in UTF-16 units: from, and to (exclusive).' }),
    ),
    moved: Type.Optional(Type.Boolean({ description: 'True if the line was moved here, or from here.' })),
    bytes: Type.Optional(Type.Integer({ description: 'Its length, for a line that is cut.' })),
    no_newline: Type.Optional(Type.Boolean({ description: 'True if the file ends here without a newline.' })),
  },
  { $id: 'DiffLine', additionalProperties: false },
)
export type DiffLine = Static<typeof DiffLine>

export const DiffHunk = Type.Object(
  {
    old_start: Type.Integer(),
    new_start: Type.Integer(),
    heading: Type.Optional(Type.String({ description: 'The function or section around it.' })),
    continued: Type.Optional(Type.Boolean({ description: 'True if it begins on the page before.' })),
    lines: Type.Array(DiffLine),
  },
  { $id: 'DiffHunk', additionalProperties: false },
)
export type DiffHunk = Static<typeof DiffHunk>

export const DiffFile = Type.Object(
  { ...fileFields, hunks: Type.Array(DiffHunk), continued: Type.Optional(Type.Boolean()) },
  { $id: 'DiffFile', additionalProperties: false },
)
export type DiffFile = Static<typeof DiffFile>

/** Ours: a part of a diff. */
export const DiffPage = Type.Object(
  {
    files: Type.Array(DiffFile),
    cursor: Type.Optional(Type.String({ description: 'For the next page; absent on the last.' })),
  },
  { $id: 'DiffPage', additionalProperties: false },
)
export type DiffPage = Static<typeof DiffPage>

export const CommitChange = Type.Object(
  {
    state: Type.Union([Type.Literal('same'), Type.Literal('changed'), Type.Literal('new'), Type.Literal('gone')]),
    old: Type.Optional(Type.String()),
    new: Type.Optional(Type.String()),
    subject: Type.String(),
  },
  { $id: 'CommitChange', additionalProperties: false },
)
export type CommitChange = Static<typeof CommitChange>

import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Bead } from '../../work/beads/index.ts'
import { EngineKey } from '../../work/metadata.ts'

const Row = Type.Object({
  /** From 0. */
  index: Type.Integer(),
  member_id: Type.String(),
  unit_key: Type.String(),
  unit_convoy_id: Type.Optional(Type.String()),
  item_root_key: Type.String(),
  item_root_id: Type.Optional(Type.String()),
  status: Type.Union([
    Type.Literal('pending'),
    Type.Literal('wired'),
    Type.Literal('succeeded'),
    Type.Literal('failed'),
    Type.Literal('skipped'),
  ]),
  outcome_bead_id: Type.Optional(Type.String()),
  outcome_kind: Type.Optional(Type.String()),
  failure_reason: Type.Optional(Type.String()),
})
/** One member that a drain runs its formula for. `wired` is one whose run the drain waits for. */
export type DrainRow = Static<typeof Row>

const ManifestSchema = Type.Object({
  version: Type.Literal(1),
  context: Type.Union([Type.Literal('separate'), Type.Literal('shared')]),
  parent_convoy_id: Type.String(),
  formula: Type.String(),
  rows: Type.Array(Row),
})
/** Members of a convoy as a drain records them: `gc.drain_manifest.v1` of its control, as JSON. */
export type Manifest = Static<typeof ManifestSchema>

export type DrainState = 'pending' | 'expanding' | 'expanded' | 'succeeded' | 'failed'

interface ManifestDraft {
  control: string
  context: Manifest['context']
  convoy: string
  formula: string
  members: readonly string[]
}

/** The manifest of a drain that has not begun with any of its members. */
export const newManifest = ({ control, context, convoy, formula, members }: ManifestDraft): Manifest => ({
  ...{ version: 1, context, parent_convoy_id: convoy, formula },
  rows: members.map((member_id, index) => ({
    ...{ index, member_id, unit_key: `drain-unit:${control}:${index}:${member_id}` },
    ...{ item_root_key: `drain-item-root:${control}:${index}:${member_id}`, status: 'pending' },
  })),
})

/** A new manifest with the rows of an earlier one whose runs passed. */
export const withSucceeded = (manifest: Manifest, earlier: Manifest | undefined): Manifest => ({
  ...manifest,
  rows: manifest.rows.map((row) => {
    const done = earlier?.rows.find(({ member_id, status }) => member_id === row.member_id && status === 'succeeded')
    return done ? { ...done, index: row.index } : row
  }),
})

/** The manifest of a control; undefined when it has none that can be read. */
export function manifestOf(control: Bead): Manifest | undefined {
  try {
    const parsed: unknown = JSON.parse(control.metadata?.[EngineKey.drainManifest] ?? '')
    return Value.Check(ManifestSchema, parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** The metadata of a control that say where its drain stands. */
export const drainMetadata = (state: DrainState, manifest?: Manifest): Record<string, string> => ({
  ...(manifest && { [EngineKey.drainManifest]: JSON.stringify(manifest) }),
  [EngineKey.drainState]: state,
})

/** A manifest with one of its rows changed; the keys of a row keep their order. */
export const withRow = (manifest: Manifest, changed: DrainRow): Manifest => ({
  ...manifest,
  rows: manifest.rows.map((row) => (row.index === changed.index ? inOrder(changed) : row)),
})

const inOrder = ({ index, member_id, unit_key, unit_convoy_id, item_root_key, item_root_id, ...end }: DrainRow) => ({
  ...{ index, member_id, unit_key },
  ...(unit_convoy_id !== undefined && { unit_convoy_id }),
  item_root_key,
  ...(item_root_id !== undefined && { item_root_id }),
  ...end,
})

/** The row whose run should be written next: a shared drain has one at a time. */
export function nextRow({ context, rows }: Manifest): DrainRow | undefined {
  if (context === 'shared' && rows.some(({ status }) => status === 'wired')) return undefined
  return rows.find(({ status }) => status === 'pending')
}

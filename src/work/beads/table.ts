import { type SQL, sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { EngineKey, LaunchKey, WorkflowKey, WorkKey } from '../metadata.ts'

const metadataValue = (key: string): SQL => sql.raw(`nullif(metadata ->> '$."${key}"', '')`)

/** The last number that was given out for each id prefix. */
export const prefixes = sqliteTable('prefixes', {
  prefix: text().primaryKey(),
  last: integer().notNull(),
})

export const beads = sqliteTable(
  'beads',
  {
    n: integer().primaryKey(),
    id: text().notNull().unique(),
    rig: text().notNull(),
    title: text().notNull(),
    status: text().notNull(),
    type: text().notNull(),
    priority: integer(),
    assignee: text().notNull(),
    sender: text().notNull(),
    parent: text(),
    ref: text().notNull(),
    description: text().notNull(),
    labels: text({ mode: 'json' }).$type<string[]>().notNull(),
    metadata: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
    ephemeral: integer({ mode: 'boolean' }).notNull(),
    noHistory: integer('no_history', { mode: 'boolean' }).notNull(),
    deferUntil: integer('defer_until'),
    /** Since when it is closed, where that is not when it last changed. */
    closedAt: integer('closed_at'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** True if its type and labels let it be offered as work. */
    workable: integer({ mode: 'boolean' }).notNull(),
    /** Number of gating dependencies that have a target that is not closed. Triggers keep it. */
    blockers: integer().notNull().default(0),
    /** Number of its dependencies, of any type. Triggers keep it. */
    edges: integer().notNull().default(0),
    closed: integer({ mode: 'boolean' }).generatedAlwaysAs(sql`status = 'closed'`),
    ready: integer({ mode: 'boolean' }).generatedAlwaysAs(sql`status = 'open' AND blockers = 0 AND workable = 1`),
    /** True if its words are indexed for search. */
    worded: integer({ mode: 'boolean' }).generatedAlwaysAs(sql`type NOT IN ('session', 'message', 'gate')`),
    routedTo: text('routed_to').generatedAlwaysAs(metadataValue(WorkKey.routedTo)),
    rootId: text('root_id').generatedAlwaysAs(metadataValue(WorkflowKey.rootBeadId)),
    scopeRef: text('scope_ref').generatedAlwaysAs(metadataValue(WorkflowKey.scopeRef)),
    /** Raised by every change of the row; it begins at random, since the number of a removed bead may be reused. */
    revision: integer().notNull().default(0),
  },
  (bead) => [
    index('beads_listed').on(bead.closed, bead.createdAt, bead.id, bead.revision),
    index('beads_by_type').on(bead.type, bead.closed, bead.createdAt, bead.id),
    index('beads_by_rig').on(bead.rig, bead.closed, bead.createdAt, bead.id),
    index('beads_by_assignee').on(bead.assignee, bead.closed, bead.createdAt, bead.id).where(sql`assignee != ''`),
    index('beads_by_parent').on(bead.parent, bead.closed, bead.createdAt, bead.id).where(sql`parent IS NOT NULL`),
    index('beads_by_root').on(bead.rootId).where(sql`root_id IS NOT NULL`),
    index('beads_by_scope').on(bead.rootId, bead.scopeRef).where(sql`root_id IS NOT NULL AND scope_ref IS NOT NULL`),
    index('beads_open_by_root').on(bead.rootId, bead.id).where(sql`root_id IS NOT NULL AND status != 'closed'`),
    index('beads_open_by_scope')
      .on(bead.rootId, bead.scopeRef, bead.id)
      .where(sql`root_id IS NOT NULL AND scope_ref IS NOT NULL AND status != 'closed'`),
    index('beads_ephemeral_over')
      .on(bead.updatedAt, bead.id)
      .where(sql`ephemeral = 1 AND status = 'closed' AND type NOT IN ('message', 'session', 'wait')`),
    index('beads_specs').on(bead.rootId, bead.ref).where(sql`root_id IS NOT NULL AND type = 'spec'`),
    index('beads_controlling')
      .on(bead.rootId, bead.id)
      .where(sql`root_id IS NOT NULL AND workable = 0 AND status = 'open' AND blockers = 0`),
    index('beads_live_by_root')
      .on(bead.rootId, bead.status, bead.id)
      .where(sql`root_id IS NOT NULL AND status != 'closed' AND blockers = 0`),
    index('beads_guarding')
      .on(bead.createdAt, bead.id)
      .where(
        sql.raw(
          `workable = 0 AND status = 'open' AND blockers = 0 AND metadata ->> '$."${WorkflowKey.kind}"' = 'failure-guard'`,
        ),
      ),
    index('beads_by_input')
      .on(sql.raw(`metadata ->> '$."${EngineKey.inputConvoyId}"'`))
      .where(sql.raw(`metadata ->> '$."${EngineKey.inputConvoyId}"' IS NOT NULL`)),
    index('beads_by_launch')
      .on(sql.raw(`metadata ->> '$."${LaunchKey.rootKey}"'`))
      .where(sql.raw(`metadata ->> '$."${LaunchKey.rootKey}"' IS NOT NULL AND closed = 0`)),
    index('beads_by_source')
      .on(sql.raw(`metadata ->> '$."${EngineKey.sourceBeadId}"'`))
      .where(sql.raw(`metadata ->> '$."${EngineKey.sourceBeadId}"' IS NOT NULL`)),
    index('beads_in_hand').on(bead.status, bead.createdAt, bead.id).where(sql`status NOT IN ('open', 'closed')`),
    index('beads_ready')
      .on(sql`coalesce(priority, 2)`, bead.createdAt, bead.id, bead.deferUntil, bead.revision)
      .where(sql`ready = 1`),
    index('beads_deferred').on(bead.deferUntil, bead.type, bead.rig).where(sql`ready = 1 AND defer_until IS NOT NULL`),
    index('beads_routed')
      .on(bead.routedTo, bead.createdAt, bead.id, bead.deferUntil, bead.type)
      .where(sql`ready = 1 AND assignee = '' AND routed_to IS NOT NULL`),
    index('beads_held')
      .on(bead.assignee, bead.status, bead.createdAt, bead.id, bead.ready, bead.deferUntil)
      .where(sql`assignee != '' AND status != 'closed' AND workable = 1`),
  ],
)

/** The labels of beads, in the order of lists. Triggers keep them. */
export const beadLabels = sqliteTable(
  'bead_labels',
  {
    label: text().notNull(),
    closed: integer({ mode: 'boolean' }).notNull(),
    createdAt: integer('created_at').notNull(),
    id: text().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.label, row.closed, row.createdAt, row.id] }),
    index('bead_labels_of_runs')
      .on(row.createdAt, row.id, row.label)
      .where(sql`label >= 'order-run:' AND label < 'order-run;'`),
  ],
)

export const beadEdges = sqliteTable(
  'bead_edges',
  {
    issueId: text('issue_id').notNull(),
    dependsOnId: text('depends_on_id').notNull(),
    type: text().notNull(),
    gating: integer({ mode: 'boolean' }).generatedAlwaysAs(sql`type IN ('blocks', 'waits-for', 'conditional-blocks')`),
    /** Time of recording, if it differs from the creation of its bead. */
    createdAt: integer('created_at'),
    createdBy: text('created_by').notNull().default(''),
    /** Further fields of `bd`, as JSON. */
    fields: text().notNull().default(''),
  },
  (edge) => [
    primaryKey({ columns: [edge.issueId, edge.dependsOnId, edge.type] }),
    index('bead_edges_back').on(edge.dependsOnId, edge.type, edge.issueId),
  ],
)

/** Number of beads, and how many of them are ready. Triggers keep it. */
export const beadCounts = sqliteTable(
  'bead_counts',
  {
    rig: text().notNull(),
    type: text().notNull(),
    status: text().notNull(),
    n: integer().notNull(),
    ready: integer().notNull(),
  },
  (row) => [primaryKey({ columns: [row.rig, row.type, row.status] })],
)

/** Number of beads that have a label, by assignee ('' for none). Triggers keep it. */
export const beadLabelCounts = sqliteTable(
  'bead_label_counts',
  {
    label: text().notNull(),
    assignee: text().notNull(),
    closed: integer({ mode: 'boolean' }).notNull(),
    rig: text().notNull(),
    type: text().notNull(),
    n: integer().notNull(),
  },
  (row) => [primaryKey({ columns: [row.label, row.assignee, row.closed, row.rig, row.type] })],
)

/** Number of beads that have an assignee. Triggers keep it. */
export const beadAssigneeCounts = sqliteTable(
  'bead_assignee_counts',
  {
    assignee: text().notNull(),
    closed: integer({ mode: 'boolean' }).notNull(),
    rig: text().notNull(),
    type: text().notNull(),
    n: integer().notNull(),
  },
  (row) => [primaryKey({ columns: [row.assignee, row.closed, row.rig, row.type] })],
)

/** Table of the outputs of steps, by the number of the bead. */
export const beadOutputs = sqliteTable('bead_outputs', { n: integer().primaryKey(), output: text().notNull() })

/** Has a row while many beads are inserted together. */
export const beadBulk = sqliteTable('bead_bulk', { n: integer().primaryKey() })

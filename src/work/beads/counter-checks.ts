import { type CounterCheck, groupCheck, rowCheck } from '../../core/store/index.ts'
import { EngineKey, WorkflowKey } from '../metadata.ts'
import { CONTROL_KINDS, UNWORKABLE_LABELS, UNWORKABLE_TYPES } from './readiness.ts'

const listed = (values: Iterable<string>): string => [...values].map((value) => `'${value}'`).join(', ')
const mark = (key: string): string => `coalesce(t.metadata ->> '$."${key}"', '')`

/** Beads, each once, that are open or missing and have a gating dependency on them. */
const BLOCKERS = `(SELECT count(DISTINCT e.depends_on_id) FROM bead_edges e WHERE e.issue_id = t.id AND e.gating = 1
  AND NOT EXISTS (SELECT 1 FROM beads b WHERE b.id = e.depends_on_id AND b.closed = 1))`

/** The same as `isWorkable`. */
const WORKABLE = `(t.type NOT IN (${listed(UNWORKABLE_TYPES)})
  AND (t.labels = '[]' OR NOT EXISTS (SELECT 1 FROM json_each(t.labels) WHERE value IN (${listed(UNWORKABLE_LABELS)})))
  AND (instr(t.metadata, '"gc.') = 0 OR (${mark(WorkflowKey.kind)} NOT IN (${listed([...CONTROL_KINDS, 'scope', 'spec'])})
    AND ${mark(EngineKey.instantiating)} = '' AND ${mark(EngineKey.paused)} = '')))`

/** The labels are parsed only where their text does not contain the label as SQLite writes it. */
const HAS_LABEL = `SELECT 1 FROM beads b WHERE b.id = l.id AND b.closed = l.closed AND b.created_at = l.created_at
  AND (instr(b.labels, json_quote(l.label)) > 0 OR EXISTS (SELECT 1 FROM json_each(b.labels) j WHERE j.value = l.label))`
const LABEL_KEY = "(?1 ->> '$.key[0]', ?1 ->> '$.key[1]', ?1 ->> '$.key[2]', ?1 ->> '$.key[3]')"

/** Rows of the label index. */
const LABELS: readonly CounterCheck[] = [
  {
    name: 'bead_labels.missing',
    sliced: 'beads',
    wrong: `SELECT json_array(j.value, t.closed, t.created_at, t.id) AS key, t.id AS id, 0 AS stored, 1 AS counted
      FROM beads t, json_each(t.labels) j WHERE t.n > ?1 AND t.n <= ?2 AND t.labels != '[]' AND NOT EXISTS
        (SELECT 1 FROM bead_labels l WHERE (l.label, l.closed, l.created_at, l.id) = (j.value, t.closed, t.created_at, t.id))`,
    repair: `INSERT OR IGNORE INTO bead_labels SELECT j.value, b.closed, b.created_at, b.id
      FROM beads b, json_each(b.labels) j WHERE b.id = ?1 ->> '$.key[3]' AND j.value = ?1 ->> '$.key[0]'`,
  },
  {
    name: 'bead_labels.extra',
    wrong: `SELECT json_array(l.label, l.closed, l.created_at, l.id) AS key, l.id AS id, 1 AS stored, 0 AS counted
      FROM bead_labels l WHERE NOT EXISTS (${HAS_LABEL})`,
    repair: `DELETE FROM bead_labels AS l WHERE (label, closed, created_at, id) = ${LABEL_KEY} AND NOT EXISTS (${HAS_LABEL})`,
  },
]

const STATUS_KEYS = ['rig', 'type', 'status']
const byStatus = (value: string): string => `SELECT rig, type, status, ${value} AS counted FROM beads GROUP BY 1, 2, 3`

/**
 * Checks of the counters of beads, which triggers and the code for `workable` maintain. Each may follow from those
 * before it.
 */
export const beadCounterChecks: readonly CounterCheck[] = [
  rowCheck('beads', 'workable', WORKABLE),
  rowCheck('beads', 'edges', '(SELECT count(*) FROM bead_edges e WHERE e.issue_id = t.id)'),
  rowCheck('beads', 'blockers', BLOCKERS),
  ...LABELS,
  groupCheck('bead_counts', 'n', STATUS_KEYS, { truth: byStatus('count(*)'), others: ['ready'] }),
  groupCheck('bead_counts', 'ready', STATUS_KEYS, { truth: byStatus('sum(ready)'), others: ['n'] }),
  groupCheck('bead_label_counts', 'n', ['label', 'assignee', 'closed', 'rig', 'type'], {
    truth: `SELECT j.value AS label, b.assignee, b.closed, b.rig, b.type, count(*) AS counted
      FROM beads b, json_each(b.labels) j WHERE b.labels != '[]' GROUP BY 1, 2, 3, 4, 5`,
  }),
  groupCheck('bead_assignee_counts', 'n', ['assignee', 'closed', 'rig', 'type'], {
    truth: `SELECT assignee, closed, rig, type, count(*) AS counted FROM beads WHERE assignee != '' GROUP BY 1, 2, 3, 4`,
  }),
]

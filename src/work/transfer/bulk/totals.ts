import type { Database } from 'bun:sqlite'
import type { BeadValues } from '../../beads/row.ts'

/** Beads of one rig, type, status and assignee. */
interface Group {
  readonly values: Pick<BeadValues, 'rig' | 'type' | 'status' | 'assignee'>
  n: number
  ready: number
  readonly labels: Map<string, number>
}

/** Counts new beads, as the triggers do that count them one by one. */
export class ImportTotals {
  readonly #groups = new Map<string, Group>()
  /** That of the bead before, which is mostly that of the next. */
  #last: Group | undefined

  add(values: BeadValues, labels: readonly string[], blockers: number): void {
    const group = this.#groupOf(values)
    group.n++
    if (values.status === 'open' && blockers === 0 && values.workable === 1) group.ready++
    for (const label of labels) group.labels.set(label, (group.labels.get(label) ?? 0) + 1)
  }

  write(db: Database): void {
    const beads = db.prepare(
      `INSERT INTO bead_counts (rig, type, status, n, ready) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n, ready = ready + excluded.ready`,
    )
    const labelled = db.prepare(
      `INSERT INTO bead_label_counts (label, assignee, closed, rig, type, n) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n`,
    )
    const assigned = db.prepare(
      `INSERT INTO bead_assignee_counts (assignee, closed, rig, type, n) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n`,
    )
    for (const { values, n, ready, labels } of this.#groups.values()) {
      const { rig, type, status, assignee } = values
      const closed = status === 'closed' ? 1 : 0
      beads.run(rig, type, status, n, ready)
      if (assignee !== '') assigned.run(assignee, closed, rig, type, n)
      for (const [label, count] of labels) labelled.run(label, assignee, closed, rig, type, count)
    }
  }

  #groupOf(values: BeadValues): Group {
    if (this.#last && isOf(this.#last, values)) return this.#last
    const { rig, type, status, assignee } = values
    const key = JSON.stringify([rig, type, status, assignee])
    this.#last = this.#groups.get(key) ?? this.#newGroup(key, { rig, type, status, assignee })
    return this.#last
  }

  #newGroup(key: string, values: Group['values']): Group {
    const group = { values, n: 0, ready: 0, labels: new Map<string, number>() }
    this.#groups.set(key, group)
    return group
  }
}

const isOf = ({ values }: Group, { rig, type, status, assignee }: Group['values']): boolean =>
  values.status === status && values.type === type && values.rig === rig && values.assignee === assignee

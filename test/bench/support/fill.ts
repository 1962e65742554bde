import { Database } from 'bun:sqlite'

export interface Filling {
  prefix: string
  /** Closed beads with open ones spread among them, at least 20 to each. */
  beads: number
  open: number
  /** Dependencies on closed beads; every fifth of the open ones has one. */
  edges?: number
  events: number
}

const SLICE = 10_000
const TEXT = 'What has to be done, and how one sees that it is done. '.repeat(4)

const upTo = 'WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)'

const BEADS = `${upTo}
  INSERT INTO beads (id, rig, title, status, type, assignee, sender, ref, description, labels, metadata, ephemeral,
    no_history, created_at, updated_at, workable)
  SELECT ?3 || '-' || i, '', 'bead ' || i, iif(i % ?4 = 0, 'open', 'closed'), 'task', '', '', '', ?5,
    '["a","l' || (i % 50) || '"]', '{"gc.routed_to":"hand-' || (i % 7) || '"}', 0, 0, ?6 + i, ?6 + i, 1 FROM n`

const EDGES = `${upTo}
  INSERT INTO bead_edges (issue_id, depends_on_id, type)
  SELECT ?3 || '-' || i, ?3 || '-' || (i + 1), 'blocks' FROM n WHERE i % ?4 < 20 AND (i / ?4) % 5 = 0 LIMIT ?5`

const EVENTS = `${upTo}
  INSERT INTO events (type, at, actor, subject, run_id, payload)
  SELECT iif(i % 2, 'bead.created', 'bead.closed'), ?4 + i, iif(i % 5, 'human', 'hand-' || (i % 7)), ?3 || '-' || i,
    ?3 || '-' || i, json_object('bead', json_object('id', ?3 || '-' || i, 'title', 'bead ' || i, 'status',
    iif(i % 2, 'open', 'closed'), 'issue_type', 'task', 'description', ?5)) FROM n`

/** Background work that the city would do. */
const WORDS = `INSERT INTO bead_search (rowid, title, body, labels)
  SELECT n * 1024, title, description, labels FROM beads WHERE n IN (SELECT n / 1024 FROM bead_unworded)`

/** Recipe of a filling: a change of this text or of the tables makes another history. */
export const RECIPE = [BEADS, WORDS, EDGES, EVENTS, TEXT].join('\n')

/** Writes the history of a long life into the database of a city that was up once and is down. */
export function fill(path: string, { prefix, beads, open, edges = 0, events }: Filling): void {
  using db = new Database(path)
  db.run('PRAGMA synchronous = OFF')
  const since = Date.now() - 10_000_000
  const numbered = db.prepare<{ last: number }, [string]>('SELECT last FROM prefixes WHERE prefix = ?')
  const first = (numbered.get(prefix)?.last ?? 0) + 1
  const work = db.prepare<unknown, (string | number)[]>(BEADS)
  const words = db.prepare(WORDS)
  const worded = db.prepare('DELETE FROM bead_unworded')
  const needs = db.prepare<unknown, (string | number)[]>(EDGES)
  const history = db.prepare<unknown, (string | number)[]>(EVENTS)
  const every = Math.max(1, Math.floor(beads / open))
  const slice = db.transaction((run: () => void) => run())
  for (let from = 0; from < beads; from += SLICE) {
    const to = Math.min(from + SLICE, beads) - 1
    slice(() => {
      work.run(first + from, first + to, prefix, every, TEXT, since)
      words.run()
      worded.run()
    })
  }
  slice(() => void needs.run(first, first + beads - 2, prefix, every, edges))
  for (let from = 1; from <= events; from += SLICE) {
    slice(() => void history.run(from, Math.min(from + SLICE - 1, events), prefix, since, TEXT))
  }
  slice(() => {
    db.run('INSERT OR REPLACE INTO prefixes VALUES (?, ?)', [prefix, first + beads])
    db.run("UPDATE cursors SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'events')")
  })
}

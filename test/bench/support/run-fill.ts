import { Database } from 'bun:sqlite'

const SLICE = 10_000
const upTo = 'WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)'

/** Roots and one step of each. */
const BEADS = `${upTo}
  INSERT INTO beads (id, rig, title, status, type, assignee, sender, ref, description, labels, metadata, ephemeral,
    no_history, created_at, updated_at, workable)
  SELECT ?3 || '-' || (2 * i - step), '', 'run ' || i, 'closed', 'task', '', '', iif(step, 'line', 'line.do'), '', '[]',
    iif(step, '{"gc.kind":"workflow","gc.formula_contract":"graph.v2","gc.formula_name":"line","gc.outcome":"pass"}',
      json_object('gc.root_bead_id', ?3 || '-' || (2 * i - 1), 'gc.outcome', 'pass')), 0, 0, ?4 + i, ?4 + i, 0
  FROM n, (SELECT 1 AS step UNION ALL SELECT 0) ORDER BY i, step DESC`

const RUNS = `${upTo}
  INSERT INTO runs (root_id, formula, contract, origin, scope_kind, scope_ref, target, state, started_at, updated_at)
  SELECT ?3 || '-' || (2 * i - 1), 'line', 'v2', 'sling', '', '', 'clerk', iif(i % 10, 'completed', 'failed'), ?4 + i,
    ?4 + i FROM n`

/** Writes so many runs that are over into the database of a city that was up once and is down. */
export function fillRuns(path: string, prefix: string, runs: number): void {
  using db = new Database(path)
  db.run('PRAGMA synchronous = OFF')
  const since = Date.now() - 10_000_000
  for (let from = 1; from <= runs; from += SLICE) {
    const bounds = [from, Math.min(from + SLICE - 1, runs), prefix, since]
    db.transaction(() => {
      for (const sql of [BEADS, RUNS]) db.prepare<unknown, (string | number)[]>(sql).run(...bounds)
    })()
  }
  db.run('INSERT OR REPLACE INTO prefixes VALUES (?, ?)', [prefix, 2 * runs])
  db.run('DELETE FROM bead_unworded')
}

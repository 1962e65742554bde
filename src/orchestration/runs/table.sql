-- A run: the beads that were made from a formula, by the id of their root.
CREATE TABLE runs (
  root_id TEXT PRIMARY KEY,
  formula TEXT NOT NULL,
  contract TEXT NOT NULL CHECK (contract IN ('v1', 'v2')),
  origin TEXT NOT NULL CHECK (origin IN ('sling', 'order')),
  scope_kind TEXT NOT NULL,
  scope_ref TEXT NOT NULL,
  target TEXT NOT NULL,
  state TEXT NOT NULL,
  -- How many attempts at its steps began after the first of each.
  attempts INTEGER NOT NULL DEFAULT 0,
  error_code TEXT,
  error_message TEXT,
  -- Since when a person holds it, and why.
  paused_at INTEGER,
  paused_reason TEXT,
  started_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Its place in lists of runs: those that go on, those that wait, those that are over.
  list_rank INTEGER GENERATED ALWAYS AS (
    CASE WHEN state IN ('completed', 'failed', 'canceled', 'skipped') THEN 2 WHEN state = 'waiting' THEN 1 ELSE 0 END
  ) VIRTUAL,
  -- Its place in feeds.
  feed_rank INTEGER GENERATED ALWAYS AS (
    CASE state WHEN 'pending' THEN 1 WHEN 'failed' THEN 2 WHEN 'completed' THEN 3 WHEN 'skipped' THEN 4
      WHEN 'canceled' THEN 5 ELSE 0 END
  ) VIRTUAL
);
CREATE INDEX runs_listed ON runs (list_rank, updated_at DESC, root_id);
CREATE INDEX runs_fed ON runs (feed_rank, updated_at DESC, root_id);
CREATE INDEX runs_fed_by_scope ON runs (scope_kind, scope_ref, feed_rank, updated_at DESC, root_id);
CREATE INDEX runs_by_formula ON runs (formula, started_at DESC, root_id);
CREATE INDEX runs_by_formula_and_scope ON runs (formula, scope_kind, scope_ref, started_at DESC, root_id);

-- What a run was compiled from: it goes on with this, whatever becomes of the file.
CREATE TABLE run_recipes (
  root_id TEXT PRIMARY KEY,
  recipe TEXT NOT NULL
);

-- The beads of runs that wait for somebody, since when and for what.
CREATE TABLE run_waits (
  bead_id TEXT PRIMARY KEY,
  root_id TEXT NOT NULL,
  since INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX run_waits_of ON run_waits (root_id, since, bead_id);

-- Number of runs of each formula and scope that are in each state. Triggers keep it.
CREATE TABLE run_counts (
  formula TEXT NOT NULL,
  scope_kind TEXT NOT NULL,
  scope_ref TEXT NOT NULL,
  state TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (formula, scope_kind, scope_ref, state)
) WITHOUT ROWID;
-- Number of runs that are in each state. Triggers keep it.
CREATE TABLE run_state_counts (
  state TEXT PRIMARY KEY,
  n INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER runs_added AFTER INSERT ON runs BEGIN
  INSERT INTO run_counts VALUES (new.formula, new.scope_kind, new.scope_ref, new.state, 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
  INSERT INTO run_state_counts VALUES (new.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER runs_moved AFTER UPDATE OF state ON runs WHEN old.state != new.state BEGIN
  UPDATE run_counts SET n = n - 1 WHERE formula = old.formula AND scope_kind = old.scope_kind
    AND scope_ref = old.scope_ref AND state = old.state;
  INSERT INTO run_counts VALUES (new.formula, new.scope_kind, new.scope_ref, new.state, 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
  UPDATE run_state_counts SET n = n - 1 WHERE state = old.state;
  INSERT INTO run_state_counts VALUES (new.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER runs_removed AFTER DELETE ON runs BEGIN
  UPDATE run_counts SET n = n - 1 WHERE formula = old.formula AND scope_kind = old.scope_kind
    AND scope_ref = old.scope_ref AND state = old.state;
  UPDATE run_state_counts SET n = n - 1 WHERE state = old.state;
  DELETE FROM run_recipes WHERE root_id = old.root_id;
  DELETE FROM run_waits WHERE root_id = old.root_id;
END;
CREATE TRIGGER run_beads_removed AFTER DELETE ON beads BEGIN
  DELETE FROM runs WHERE root_id = old.id;
  DELETE FROM run_waits WHERE bead_id = old.id;
END;

-- gc itself works on these; no agent is offered them.
UPDATE beads SET workable = 0 WHERE workable = 1 AND (type = 'spec' OR metadata ->> '$."gc.kind"' IN
  ('retry', 'ralph', 'check', 'retry-eval', 'fanout', 'drain', 'scope-check', 'workflow-finalize', 'until', 'condition', 'failure-guard',
   'scope', 'spec'));
CREATE INDEX beads_controlling ON beads (root_id, id)
  WHERE root_id IS NOT NULL AND workable = 0 AND status = 'open' AND blockers = 0;

CREATE INDEX beads_open_by_root ON beads (root_id, id) WHERE root_id IS NOT NULL AND status != 'closed';
CREATE INDEX beads_specs ON beads (root_id, ref) WHERE root_id IS NOT NULL AND type = 'spec';
ALTER TABLE beads ADD COLUMN scope_ref TEXT GENERATED ALWAYS AS (nullif(metadata ->> '$."gc.scope_ref"', '')) VIRTUAL;
CREATE INDEX beads_by_scope ON beads (root_id, scope_ref) WHERE root_id IS NOT NULL AND scope_ref IS NOT NULL;

-- Graphs that are here already.
INSERT INTO runs (root_id, formula, contract, origin, scope_kind, scope_ref, target, state, started_at, updated_at)
  SELECT id, coalesce(metadata ->> '$."gc.formula_name"', metadata ->> '$."gc.formula"', ref),
    iif(metadata ->> '$."gc.formula_contract"' = 'graph.v2', 'v2', 'v1'), 'sling',
    coalesce(nullif(metadata ->> '$."gc.scope_kind"', ''), iif(rig = '', '', 'rig')),
    coalesce(nullif(metadata ->> '$."gc.scope_ref"', ''), rig),
    coalesce(nullif(metadata ->> '$."gc.execution_routed_to"', ''), nullif(metadata ->> '$."gc.routed_to"', ''),
      nullif(metadata ->> '$."gc.run_target"', ''), 'workflow'),
    CASE WHEN status != 'closed' THEN 'pending' WHEN metadata ->> '$."gc.outcome"' = 'fail' THEN 'failed'
      WHEN metadata ->> '$."gc.outcome"' IN ('skipped', 'canceled') THEN metadata ->> '$."gc.outcome"'
      ELSE 'completed' END,
    created_at, updated_at
  FROM beads WHERE type = 'molecule' OR metadata ->> '$."gc.formula_contract"' = 'graph.v2';
INSERT INTO cursors (consumer, seq) SELECT 'runs', coalesce(max(seq), 0) FROM events;

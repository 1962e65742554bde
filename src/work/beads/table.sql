-- The last number that was given out for each id prefix.
CREATE TABLE prefixes (
  prefix TEXT PRIMARY KEY,
  last INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE beads (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  rig TEXT NOT NULL,
  title TEXT NOT NULL,
  status TEXT NOT NULL,
  type TEXT NOT NULL,
  priority INTEGER,
  assignee TEXT NOT NULL,
  sender TEXT NOT NULL,
  parent TEXT,
  ref TEXT NOT NULL,
  description TEXT NOT NULL,
  labels TEXT NOT NULL,
  metadata TEXT NOT NULL,
  ephemeral INTEGER NOT NULL,
  no_history INTEGER NOT NULL,
  defer_until INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Whether its type and labels let it be offered as work.
  workable INTEGER NOT NULL,
  -- How many gating dependencies have a target that is not closed; kept by the triggers below.
  blockers INTEGER NOT NULL DEFAULT 0,
  -- How many dependencies it has of any type; kept by the triggers below.
  edges INTEGER NOT NULL DEFAULT 0,
  closed INTEGER GENERATED ALWAYS AS (status = 'closed') VIRTUAL,
  ready INTEGER GENERATED ALWAYS AS (status = 'open' AND blockers = 0 AND workable = 1) VIRTUAL,
  -- Whether people look for it by its words.
  worded INTEGER GENERATED ALWAYS AS (type NOT IN ('session', 'message', 'gate')) VIRTUAL,
  routed_to TEXT GENERATED ALWAYS AS (nullif(metadata ->> '$."gc.routed_to"', '')) VIRTUAL,
  root_id TEXT GENERATED ALWAYS AS (nullif(metadata ->> '$."gc.root_bead_id"', '')) VIRTUAL
);
CREATE INDEX beads_listed ON beads (closed, created_at, id);
CREATE INDEX beads_by_type ON beads (type, closed, created_at, id);
CREATE INDEX beads_by_rig ON beads (rig, closed, created_at, id);
CREATE INDEX beads_by_assignee ON beads (assignee, closed, created_at, id) WHERE assignee != '';
CREATE INDEX beads_by_parent ON beads (parent, closed, created_at, id) WHERE parent IS NOT NULL;
CREATE INDEX beads_by_root ON beads (root_id) WHERE root_id IS NOT NULL;
CREATE INDEX beads_in_hand ON beads (status, created_at, id) WHERE status NOT IN ('open', 'closed');
CREATE INDEX beads_ready ON beads (coalesce(priority, 2), created_at, id) WHERE ready = 1;
CREATE INDEX beads_deferred ON beads (defer_until, type, rig) WHERE ready = 1 AND defer_until IS NOT NULL;
CREATE INDEX beads_routed ON beads (routed_to, created_at, id, defer_until, type)
  WHERE ready = 1 AND assignee = '' AND routed_to IS NOT NULL;
CREATE INDEX beads_held ON beads (assignee, status, created_at, id, ready, defer_until)
  WHERE assignee != '' AND status != 'closed' AND workable = 1;

-- The labels of beads, in the order of lists. Triggers keep them.
CREATE TABLE bead_labels (
  label TEXT NOT NULL,
  closed INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (label, closed, created_at, id)
) WITHOUT ROWID;
CREATE TABLE bead_edges (
  issue_id TEXT NOT NULL,
  depends_on_id TEXT NOT NULL,
  type TEXT NOT NULL,
  gating INTEGER GENERATED ALWAYS AS (type IN ('blocks', 'waits-for', 'conditional-blocks')) VIRTUAL,
  PRIMARY KEY (issue_id, depends_on_id, type)
) WITHOUT ROWID;
CREATE INDEX bead_edges_back ON bead_edges (depends_on_id, type, issue_id);
-- Number of beads, and how many of them are ready. Triggers keep it.
CREATE TABLE bead_counts (
  rig TEXT NOT NULL,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  n INTEGER NOT NULL,
  ready INTEGER NOT NULL,
  PRIMARY KEY (rig, type, status)
) WITHOUT ROWID;

CREATE TRIGGER beads_added AFTER INSERT ON beads BEGIN
  INSERT INTO bead_counts VALUES (new.rig, new.type, new.status, 1, new.ready)
    ON CONFLICT DO UPDATE SET n = n + 1, ready = ready + excluded.ready;
  INSERT INTO bead_labels SELECT value, new.closed, new.created_at, new.id FROM json_each(new.labels);
END;
CREATE TRIGGER beads_recounted AFTER UPDATE OF rig, type, status, blockers, workable ON beads
WHEN (old.rig, old.type, old.status, old.ready) != (new.rig, new.type, new.status, new.ready) BEGIN
  UPDATE bead_counts SET n = n - 1, ready = ready - old.ready
    WHERE rig = old.rig AND type = old.type AND status = old.status;
  INSERT INTO bead_counts VALUES (new.rig, new.type, new.status, 1, new.ready)
    ON CONFLICT DO UPDATE SET n = n + 1, ready = ready + excluded.ready;
END;
CREATE TRIGGER beads_relabelled AFTER UPDATE OF labels, status ON beads
WHEN old.labels != new.labels OR old.closed != new.closed BEGIN
  DELETE FROM bead_labels WHERE id = old.id AND closed = old.closed AND created_at = old.created_at
    AND label IN (SELECT value FROM json_each(old.labels));
  INSERT INTO bead_labels SELECT value, new.closed, new.created_at, new.id FROM json_each(new.labels);
END;
CREATE TRIGGER beads_settled AFTER UPDATE OF status ON beads WHEN old.closed != new.closed BEGIN
  UPDATE beads SET blockers = blockers + old.closed - new.closed
    WHERE id IN (SELECT issue_id FROM bead_edges WHERE depends_on_id = new.id AND gating = 1);
END;
CREATE TRIGGER beads_removed AFTER DELETE ON beads BEGIN
  UPDATE bead_counts SET n = n - 1, ready = ready - old.ready
    WHERE rig = old.rig AND type = old.type AND status = old.status;
  DELETE FROM bead_labels WHERE id = old.id AND closed = old.closed AND created_at = old.created_at
    AND label IN (SELECT value FROM json_each(old.labels));
  DELETE FROM bead_edges WHERE issue_id = old.id;
  UPDATE beads SET blockers = blockers + old.closed
    WHERE id IN (SELECT issue_id FROM bead_edges WHERE depends_on_id = old.id AND gating = 1);
END;
CREATE TRIGGER bead_edges_added AFTER INSERT ON bead_edges BEGIN
  UPDATE beads SET edges = edges + 1, blockers = blockers +
      (new.gating AND NOT EXISTS (SELECT 1 FROM beads t WHERE t.id = new.depends_on_id AND t.closed = 1))
    WHERE id = new.issue_id;
END;
CREATE TRIGGER bead_edges_removed AFTER DELETE ON bead_edges BEGIN
  UPDATE beads SET edges = edges - 1, blockers = blockers -
      (old.gating AND NOT EXISTS (SELECT 1 FROM beads t WHERE t.id = old.depends_on_id AND t.closed = 1))
    WHERE id = old.issue_id;
END;

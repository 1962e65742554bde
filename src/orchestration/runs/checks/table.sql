-- Checks that are to be started or run; one that is over has no row.
CREATE TABLE run_checks (
  control_id TEXT PRIMARY KEY,
  root_id TEXT NOT NULL,
  attempt_id TEXT NOT NULL,
  -- How many times it was begun: again when the host that ran it was lost.
  runs INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL CHECK (state IN ('starting', 'running')),
  pid INTEGER,
  process_started TEXT,
  token_hash TEXT,
  started_at INTEGER
);

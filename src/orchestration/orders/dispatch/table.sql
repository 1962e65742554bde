-- The runs of orders, each with a tracking bead.
CREATE TABLE order_runs (
  tracking_id TEXT PRIMARY KEY,
  scoped_name TEXT NOT NULL,
  rig TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('exec', 'formula')),
  -- What began it: its trigger, or a person or program.
  cause TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('starting', 'running', 'done')),
  -- Its arguments, as JSON, until it is over.
  vars TEXT NOT NULL DEFAULT '{}',
  -- The newest event that it covers.
  seq INTEGER,
  created_at INTEGER NOT NULL,
  timeout_ms INTEGER NOT NULL,
  -- Its process, by the host that runs it.
  pid INTEGER,
  process_started TEXT,
  token_hash TEXT,
  started_at INTEGER,
  ended_at INTEGER,
  outcome TEXT CHECK (outcome IN ('success', 'failed', 'canceled')),
  exit_code INTEGER,
  signal TEXT,
  error TEXT,
  has_output INTEGER NOT NULL DEFAULT 0,
  -- What a formula made, and whether that is still open.
  root_id TEXT,
  root_open INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX order_runs_live ON order_runs (created_at, tracking_id) WHERE state != 'done';
CREATE INDEX order_runs_live_name ON order_runs (scoped_name) WHERE state != 'done';
CREATE INDEX order_runs_open_root ON order_runs (scoped_name) WHERE root_open = 1;
CREATE INDEX order_runs_root ON order_runs (root_id) WHERE root_id IS NOT NULL;
CREATE INDEX order_runs_name ON order_runs (scoped_name, created_at, tracking_id);
CREATE INDEX order_runs_age ON order_runs (created_at, tracking_id);

-- The last 64 KB of each stream of the commands of orders.
CREATE TABLE order_outputs (
  tracking_id TEXT PRIMARY KEY,
  stdout TEXT NOT NULL,
  stderr TEXT NOT NULL,
  truncated INTEGER NOT NULL
);

-- How far the trigger of each order has come.
CREATE TABLE order_triggers (
  scoped_name TEXT PRIMARY KEY,
  -- When its latest run began, as cooldowns and schedules count it.
  last_run INTEGER,
  -- The type of event that it waits for, the newest of them that a run covers, and what came since.
  event_type TEXT,
  cursor INTEGER NOT NULL DEFAULT 0,
  waiting INTEGER NOT NULL DEFAULT 0,
  newest INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- Has a row while orders wait for a person: in a city that an earlier gc had open.
CREATE TABLE order_approval (since INTEGER NOT NULL);
INSERT INTO order_approval SELECT at FROM events ORDER BY seq DESC LIMIT 1;

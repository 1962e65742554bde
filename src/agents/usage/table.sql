-- One use: a response of a model, or a run of a session.
CREATE TABLE usage_facts (
  key TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('model', 'compute')),
  session_id TEXT NOT NULL,
  worker TEXT NOT NULL,
  agent TEXT NOT NULL,
  rig TEXT NOT NULL,
  model TEXT NOT NULL DEFAULT '',
  input INTEGER NOT NULL DEFAULT 0,
  output INTEGER NOT NULL DEFAULT 0,
  cache_read INTEGER NOT NULL DEFAULT 0,
  cache_write INTEGER NOT NULL DEFAULT 0,
  wall_ms INTEGER NOT NULL DEFAULT 0,
  cost REAL NOT NULL DEFAULT 0,
  unpriced INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX usage_facts_at ON usage_facts (at);
-- The sums of usage by quarter hour, rig and agent.
CREATE TABLE usage_sums (
  at INTEGER NOT NULL,
  rig TEXT NOT NULL,
  agent TEXT NOT NULL,
  invocations INTEGER NOT NULL DEFAULT 0,
  computes INTEGER NOT NULL DEFAULT 0,
  input INTEGER NOT NULL DEFAULT 0,
  output INTEGER NOT NULL DEFAULT 0,
  cache_read INTEGER NOT NULL DEFAULT 0,
  cache_write INTEGER NOT NULL DEFAULT 0,
  wall_ms INTEGER NOT NULL DEFAULT 0,
  cost REAL NOT NULL DEFAULT 0,
  unpriced INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (at, rig, agent)
) WITHOUT ROWID;

CREATE TABLE acp_runs (
  host_key TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  last_seq INTEGER NOT NULL DEFAULT 0,
  turn TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX acp_runs_session ON acp_runs (session_id);
-- The records of all runs of a session, as the session host sent them.
CREATE TABLE acp_records (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX acp_records_session ON acp_records (session_id, id);
CREATE TABLE acp_questions (
  request TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  host_key TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  tool TEXT NOT NULL,
  choices TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX acp_questions_key ON acp_questions (host_key, asked_at);
CREATE TABLE acp_sessions (
  session_id TEXT PRIMARY KEY,
  template TEXT NOT NULL,
  modes TEXT NOT NULL DEFAULT '[]',
  mode TEXT NOT NULL DEFAULT '',
  wanted_mode TEXT,
  bytes INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX acp_sessions_template ON acp_sessions (template);

CREATE TABLE questions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  host_key TEXT NOT NULL,
  request TEXT NOT NULL,
  by TEXT NOT NULL,
  bead_id TEXT,
  folder TEXT NOT NULL,
  question TEXT NOT NULL,
  state TEXT NOT NULL,
  choice TEXT,
  actor TEXT,
  answered_at INTEGER,
  ended_at INTEGER
);
CREATE INDEX questions_open ON questions (host_key, request) WHERE ended_at IS NULL;
CREATE INDEX questions_session ON questions (session_id, id);
CREATE INDEX questions_ended ON questions (ended_at) WHERE ended_at IS NOT NULL;

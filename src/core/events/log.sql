CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  subject TEXT,
  message TEXT,
  run_id TEXT,
  session_id TEXT,
  step_id TEXT,
  depends_on_step_ids TEXT,
  payload TEXT NOT NULL
);
CREATE INDEX events_type ON events (type, seq);
CREATE INDEX events_actor ON events (actor, seq, type);
CREATE INDEX events_subject ON events (subject, seq) WHERE subject IS NOT NULL;
CREATE TABLE event_segments (
  last_seq INTEGER PRIMARY KEY,
  bytes INTEGER NOT NULL
);
CREATE TABLE event_archives (
  last_seq INTEGER PRIMARY KEY,
  first_seq INTEGER NOT NULL,
  path TEXT NOT NULL,
  at INTEGER NOT NULL,
  complete INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE cursors (
  consumer TEXT PRIMARY KEY,
  seq INTEGER NOT NULL
) WITHOUT ROWID;

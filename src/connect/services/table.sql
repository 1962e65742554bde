-- The processes of services: at most one each.
CREATE TABLE service_processes (
  name TEXT PRIMARY KEY,
  -- How many times it was started; each start has a name of its own in the session host.
  runs INTEGER NOT NULL DEFAULT 0,
  -- waiting: it ended and is started again at due_at; stopped: it ended too often.
  state TEXT NOT NULL CHECK (state IN ('starting', 'running', 'waiting', 'stopped')),
  -- What it was started with: it is started anew when that changes.
  fingerprint TEXT NOT NULL,
  pid INTEGER,
  process_started TEXT,
  token_hash TEXT,
  started_at INTEGER,
  -- How many times in a row it ended by itself, how it did last, and when.
  failures INTEGER NOT NULL DEFAULT 0,
  last_exit TEXT,
  ended_at INTEGER,
  due_at INTEGER
);

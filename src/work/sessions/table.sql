CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  template TEXT NOT NULL,
  rig TEXT NOT NULL,
  provider TEXT NOT NULL,
  origin TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  session_name TEXT NOT NULL,
  alias TEXT,
  alias_history TEXT NOT NULL DEFAULT '[]',
  agent_name TEXT NOT NULL DEFAULT '',
  named TEXT,
  slot INTEGER,
  work_dir TEXT NOT NULL,
  options TEXT NOT NULL DEFAULT '{}',
  first_message TEXT,
  project TEXT,
  work TEXT,
  generation INTEGER NOT NULL DEFAULT 0,
  host_key TEXT,
  pid INTEGER,
  process_started TEXT,
  created_at INTEGER NOT NULL,
  woke_at INTEGER,
  slept_at INTEGER,
  suspended_at INTEGER,
  drain_at INTEGER,
  closed_at INTEGER,
  nudged_at INTEGER,
  active_at INTEGER,
  wake_requested_at INTEGER,
  retry_at INTEGER,
  quarantined_until INTEGER,
  failures INTEGER NOT NULL DEFAULT 0,
  churn INTEGER NOT NULL DEFAULT 0,
  session_key TEXT,
  resumed INTEGER NOT NULL DEFAULT 0,
  busy_until INTEGER,
  fingerprint TEXT NOT NULL DEFAULT '{}'
) WITHOUT ROWID;
CREATE UNIQUE INDEX sessions_name ON sessions (session_name) WHERE state != 'closed';
CREATE UNIQUE INDEX sessions_alias ON sessions (alias) WHERE state != 'closed' AND alias IS NOT NULL;
CREATE UNIQUE INDEX sessions_slot ON sessions (template, slot) WHERE state != 'closed' AND slot IS NOT NULL;
CREATE UNIQUE INDEX sessions_named ON sessions (named) WHERE state != 'closed' AND named IS NOT NULL;
CREATE INDEX sessions_live ON sessions (created_at DESC, id DESC) WHERE state != 'closed';
CREATE INDEX sessions_all ON sessions (created_at DESC, id DESC);
CREATE INDEX sessions_past_name ON sessions (session_name, created_at);
CREATE INDEX sessions_past_alias ON sessions (alias, created_at) WHERE alias IS NOT NULL;
CREATE INDEX sessions_hosted ON sessions (host_key) WHERE host_key IS NOT NULL;
-- Credentials by hash, one per incarnation; an ended one is kept so that it can be told from an unknown one.
CREATE TABLE session_tokens (
  hash TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  ended_at INTEGER
) WITHOUT ROWID;
CREATE INDEX session_tokens_live ON session_tokens (session_id) WHERE ended_at IS NULL;
CREATE TABLE session_messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  request_id TEXT,
  intent TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  ended_at INTEGER
);
CREATE INDEX session_messages_waiting ON session_messages (session_id, id) WHERE state = 'queued';
-- The failed starts of an agent in a row, or the sessions that ended over a bead, and when it is tried again.
CREATE TABLE troubles (
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'bead')),
  subject TEXT NOT NULL,
  deaths INTEGER NOT NULL,
  until INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (kind, subject)
) WITHOUT ROWID;
CREATE INDEX session_messages_typing ON session_messages (id) WHERE state = 'typing';
CREATE INDEX session_tokens_ended ON session_tokens (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX session_messages_ended ON session_messages (ended_at) WHERE ended_at IS NOT NULL;

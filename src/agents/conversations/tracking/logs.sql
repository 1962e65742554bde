-- The logs of a session's conversation, each with how far it was read.
CREATE TABLE session_logs (
  session_id TEXT NOT NULL,
  path TEXT NOT NULL,
  key TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('main', 'side', 'uncertain')),
  since INTEGER NOT NULL,
  found_at INTEGER NOT NULL,
  file TEXT NOT NULL DEFAULT '',
  offset INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session_id, path, key)
) WITHOUT ROWID;
CREATE INDEX session_logs_by_file ON session_logs (path, key);
CREATE TRIGGER session_logs_removed AFTER DELETE ON sessions BEGIN
  DELETE FROM session_logs WHERE session_id = old.id;
  DELETE FROM usage_places WHERE session_id = old.id;
END;

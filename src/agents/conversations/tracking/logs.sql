-- The logs of a session's conversation, each with how far it was read; without a path, what was not read to its end yet.
CREATE TABLE session_logs (
  session_id TEXT NOT NULL,
  path TEXT NOT NULL,
  key TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('open', 'main', 'side', 'uncertain')),
  since INTEGER NOT NULL,
  found_at INTEGER NOT NULL,
  file TEXT NOT NULL DEFAULT '',
  offset INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session_id, path, key)
) WITHOUT ROWID;
CREATE INDEX session_logs_by_file ON session_logs (path, key);
CREATE INDEX session_logs_open ON session_logs (session_id) WHERE role = 'open';
CREATE TRIGGER session_logs_removed AFTER DELETE ON sessions BEGIN
  DELETE FROM session_logs WHERE session_id = old.id;
END;
INSERT INTO session_logs SELECT session_id, '', '', 'open', 0, 0, file, offset FROM usage_places;
DROP TABLE usage_places;

CREATE TABLE session_last_output (
  session TEXT PRIMARY KEY,
  ended_at INTEGER NOT NULL,
  text TEXT NOT NULL DEFAULT '',
  why TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX session_last_output_ended ON session_last_output (ended_at);
CREATE TRIGGER session_last_output_of_removed AFTER DELETE ON sessions BEGIN
  DELETE FROM session_last_output WHERE session = old.id;
END;

-- The sessions that last began a step of each continuation group of the runs that go on.
CREATE TABLE run_sessions (
  root_id TEXT NOT NULL,
  continuation_group TEXT NOT NULL,
  session_id TEXT NOT NULL,
  identity TEXT NOT NULL,
  PRIMARY KEY (root_id, continuation_group)
) WITHOUT ROWID;
CREATE TRIGGER run_sessions_removed AFTER DELETE ON beads BEGIN
  DELETE FROM run_sessions WHERE root_id = old.id;
END;

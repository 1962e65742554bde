-- Attempts that somebody works on and that have a time limit: when it is over.
CREATE TABLE step_timeouts (
  attempt_id TEXT PRIMARY KEY,
  timeout_ms INTEGER NOT NULL,
  due_at INTEGER NOT NULL
);
CREATE TRIGGER step_timeouts_removed AFTER DELETE ON beads BEGIN
  DELETE FROM step_timeouts WHERE attempt_id = old.id;
END;

-- Runs of many steps that are being opened again, slice by slice: what is left of it after a crash is done at the next start.
CREATE TABLE run_restarts (
  root_id TEXT PRIMARY KEY,
  -- What was asked for, by whom, and what follows from it.
  request TEXT NOT NULL,
  actor TEXT NOT NULL,
  plan TEXT NOT NULL,
  -- How many of its beads are open again.
  done INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER run_restarts_removed AFTER DELETE ON runs BEGIN
  DELETE FROM run_restarts WHERE root_id = old.root_id;
END;
CREATE TRIGGER run_restarts_canceled AFTER UPDATE OF state ON runs WHEN new.state IN ('canceling', 'canceled') BEGIN
  DELETE FROM run_restarts WHERE root_id = new.root_id;
END;

-- The session, or the name of the process, that started a run.
ALTER TABLE runs ADD COLUMN started_by TEXT;

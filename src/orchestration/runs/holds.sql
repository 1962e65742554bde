-- Runs that a person holds, and those whose steps are being offered again.
CREATE TABLE run_holds (
  root_id TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('paused', 'resuming')),
  since INTEGER NOT NULL,
  -- Who holds it, and why.
  held_by TEXT NOT NULL,
  reason TEXT NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER run_holds_removed AFTER DELETE ON runs BEGIN
  DELETE FROM run_holds WHERE root_id = old.root_id;
END;
ALTER TABLE runs DROP COLUMN paused_at;
ALTER TABLE runs DROP COLUMN paused_reason;

-- What of a run is worked on, may be claimed, or is acted on by gc.
CREATE INDEX beads_live_by_root ON beads (root_id, status, id)
  WHERE root_id IS NOT NULL AND status != 'closed' AND blockers = 0;
CREATE TRIGGER run_holds_over AFTER UPDATE OF state ON runs
  WHEN new.state IN ('completed', 'failed', 'canceled', 'skipped') BEGIN
  DELETE FROM run_holds WHERE root_id = new.root_id;
END;

-- Tells one state of a bead's row from every other: the number of a bead that is gone may be given out again, so it
-- begins anywhere, and whatever changes the row raises it.
ALTER TABLE beads ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER beads_revised AFTER UPDATE ON beads WHEN new.revision = old.revision BEGIN
  UPDATE beads SET revision = revision + 1 WHERE n = new.n;
END;

DROP INDEX beads_ready;
CREATE INDEX beads_ready ON beads (coalesce(priority, 2), created_at, id, defer_until, revision) WHERE ready = 1;

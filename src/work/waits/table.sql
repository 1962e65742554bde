CREATE TABLE waits (
  id TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  session_name TEXT NOT NULL,
  mode TEXT NOT NULL,
  state TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  nudge TEXT,
  expires_at INTEGER,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  ready_at INTEGER,
  ended_at INTEGER,
  error TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX waits_live ON waits (created_at, id) WHERE state IN ('pending', 'ready');
CREATE INDEX waits_of ON waits (session, created_at, id) WHERE state IN ('pending', 'ready');
CREATE INDEX waits_due ON waits (expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;
CREATE INDEX waits_nudged ON waits (nudge) WHERE state = 'ready';
CREATE TABLE wait_beads (
  wait TEXT NOT NULL,
  place INTEGER NOT NULL,
  bead TEXT NOT NULL,
  PRIMARY KEY (wait, place)
) WITHOUT ROWID;
CREATE INDEX wait_beads_on ON wait_beads (bead, wait);
CREATE TRIGGER waits_removed AFTER DELETE ON beads WHEN old.type = 'gate' BEGIN
  DELETE FROM waits WHERE id = old.id;
  DELETE FROM wait_beads WHERE wait = old.id;
END;

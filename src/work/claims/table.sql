-- One row for each bead that was ever claimed; `session` is NULL while nobody has it.
CREATE TABLE claims (
  bead_id TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  session TEXT,
  session_name TEXT NOT NULL,
  incarnation TEXT NOT NULL,
  identity TEXT NOT NULL,
  hosted INTEGER NOT NULL,
  -- Whether the bead was in the holder's name before it was claimed.
  assigned INTEGER NOT NULL,
  taken_at INTEGER NOT NULL,
  expires_at INTEGER
) WITHOUT ROWID;
CREATE INDEX claims_held ON claims (session, taken_at, bead_id) WHERE session IS NOT NULL;
CREATE INDEX claims_due ON claims (expires_at) WHERE session IS NOT NULL AND expires_at IS NOT NULL;
-- Which sessions lost which beads, until they claim them again or are closed.
CREATE TABLE claim_losses (
  session TEXT NOT NULL,
  bead_id TEXT NOT NULL,
  PRIMARY KEY (session, bead_id)
) WITHOUT ROWID;

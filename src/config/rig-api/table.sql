CREATE TABLE rig_clones (
  request_id TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('in_flight', 'succeeded', 'rolled_back')),
  rig TEXT NOT NULL,
  path TEXT NOT NULL,
  cursor INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX rig_clones_in_flight ON rig_clones (rig) WHERE state = 'in_flight';

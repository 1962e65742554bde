-- Manual suspensions that differ from the files.
CREATE TABLE suspensions (
  kind TEXT NOT NULL CHECK (kind IN ('city', 'rig', 'agent')),
  name TEXT NOT NULL,
  suspended INTEGER NOT NULL,
  PRIMARY KEY (kind, name)
) WITHOUT ROWID;

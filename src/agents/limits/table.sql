CREATE TABLE login_limits (
  login TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('limited', 'dead')),
  since INTEGER NOT NULL,
  until INTEGER,
  stated INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  reason TEXT NOT NULL
) WITHOUT ROWID;
ALTER TABLE sessions ADD COLUMN login TEXT NOT NULL DEFAULT '';

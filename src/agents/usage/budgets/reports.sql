-- Whether the programs of agents report what they use, as their turns showed.
CREATE TABLE usage_reports (
  agent TEXT PRIMARY KEY,
  -- Identifies the program that it ran.
  program TEXT NOT NULL,
  reports INTEGER NOT NULL CHECK (reports IN (0, 1))
) WITHOUT ROWID;

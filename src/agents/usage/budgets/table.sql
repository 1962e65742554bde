CREATE TABLE budgets (
  scope TEXT NOT NULL CHECK (scope IN ('city', 'rig', 'agent')),
  name TEXT NOT NULL,
  unit TEXT NOT NULL CHECK (unit IN ('tokens', 'usd')),
  per TEXT NOT NULL CHECK (per IN ('hour', 'day')),
  most REAL NOT NULL,
  told_period INTEGER NOT NULL DEFAULT 0,
  told_level INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, name, unit, per)
) WITHOUT ROWID;

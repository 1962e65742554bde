-- Branches of landed changes that are still to be deleted.
CREATE TABLE landing_branches (
  landing TEXT PRIMARY KEY,
  rig TEXT NOT NULL,
  branch TEXT NOT NULL,
  -- What landed of it: with anything else on it, it stays.
  head TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  -- When it is tried again.
  due INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX landing_branches_by_rig ON landing_branches (rig);

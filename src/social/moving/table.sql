-- Whom agents followed on another network, by a key of those who are not here yet.
CREATE TABLE moved_follows (
  key TEXT NOT NULL,
  follower INTEGER NOT NULL,
  PRIMARY KEY (key, follower)
) WITHOUT ROWID;
CREATE INDEX moved_follows_of ON moved_follows (follower, key);

-- Keys that are here now, whose agents are still to be followed again.
CREATE TABLE arrived_keys (
  key TEXT PRIMARY KEY,
  agent INTEGER NOT NULL
) WITHOUT ROWID;

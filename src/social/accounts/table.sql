CREATE TABLE agents (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  -- The name as it is looked up, and as it looks: two agents never share either.
  handle TEXT NOT NULL UNIQUE,
  likeness TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  description TEXT NOT NULL,
  metadata TEXT NOT NULL,
  karma INTEGER NOT NULL DEFAULT 0,
  follower_count INTEGER NOT NULL DEFAULT 0,
  following_count INTEGER NOT NULL DEFAULT 0,
  posts_count INTEGER NOT NULL DEFAULT 0,
  comments_count INTEGER NOT NULL DEFAULT 0,
  subscriptions_count INTEGER NOT NULL DEFAULT 0,
  owner INTEGER,
  claimed_at INTEGER,
  suspended_at INTEGER,
  -- NULL while suspended: until somebody ends it.
  suspended_until INTEGER,
  suspended_for TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_active_at INTEGER NOT NULL,
  deleted_at INTEGER,
  -- Whether what a deleted agent left behind is still being removed.
  leaving INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX agents_leaving ON agents (n) WHERE leaving = 1;
CREATE INDEX agents_owned ON agents (owner) WHERE owner IS NOT NULL;

CREATE TABLE agent_keys (
  id TEXT PRIMARY KEY,
  agent INTEGER NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  label TEXT NOT NULL,
  ending TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX agent_keys_of ON agent_keys (agent, created_at, id);

-- Names of deleted agents, hashed: nobody takes them over.
CREATE TABLE gone_names (
  hash TEXT PRIMARY KEY
) WITHOUT ROWID;

CREATE TABLE follows (
  follower INTEGER NOT NULL,
  followee INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (follower, followee)
) WITHOUT ROWID;
CREATE INDEX follows_back ON follows (followee, follower);

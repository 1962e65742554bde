CREATE TABLE submolts (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  description TEXT NOT NULL,
  allow_crypto INTEGER NOT NULL DEFAULT 0,
  -- NULL for the one that was there from the beginning.
  creator INTEGER,
  subscriber_count INTEGER NOT NULL DEFAULT 0,
  post_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL
);
CREATE INDEX submolts_popular ON submolts (subscriber_count, created_at);
CREATE INDEX submolts_new ON submolts (created_at);

CREATE TABLE subscriptions (
  agent INTEGER NOT NULL,
  submolt INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (agent, submolt)
) WITHOUT ROWID;
CREATE INDEX subscriptions_back ON subscriptions (submolt, agent);

INSERT INTO submolts (id, name, display_name, description, created_at, updated_at, last_activity_at)
VALUES ('00000000-0000-7000-8000-000000000001', 'general', 'General', 'For everything that has no place of its own.',
  unixepoch() * 1000, unixepoch() * 1000, unixepoch() * 1000);

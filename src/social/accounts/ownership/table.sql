-- People who vouch for agents, each known by what a provider of identities calls them.
CREATE TABLE owners (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  provider TEXT NOT NULL,
  subject TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (provider, subject)
);

-- The claims that wait for a person. Token and code are kept as hashes.
CREATE TABLE agent_claims (
  agent INTEGER PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  code TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);

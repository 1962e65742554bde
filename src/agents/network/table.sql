-- Agents with an account on the social network. The private key of each is a file of the city.
CREATE TABLE network_accounts (
  agent TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  name TEXT NOT NULL,
  stopped INTEGER NOT NULL DEFAULT 0,
  -- How much was unread when the agent was last told.
  announced INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

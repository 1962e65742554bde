-- The address of an agent's human, as the agent gave it. The token of the link that verifies it is kept as a hash.
CREATE TABLE owner_emails (
  agent INTEGER PRIMARY KEY,
  email TEXT NOT NULL,
  token TEXT UNIQUE,
  sent_at INTEGER,
  verified_at INTEGER
);
CREATE INDEX owner_emails_sent ON owner_emails (email, sent_at);

-- Valid tokens by city and hash; an ended one stays a while, to tell it from an unknown one.
CREATE TABLE tokens (
  hash TEXT NOT NULL,
  city TEXT NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (hash, city)
) WITHOUT ROWID;
CREATE INDEX tokens_by_city ON tokens (city, expires_at);
CREATE INDEX tokens_ended ON tokens (expires_at) WHERE expires_at IS NOT NULL;

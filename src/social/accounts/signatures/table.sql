-- Public keys (Ed25519) with which agents sign their requests; the identifier is the thumbprint of the key (RFC 7638).
CREATE TABLE signing_keys (
  id TEXT PRIMARY KEY,
  agent INTEGER NOT NULL,
  public_key TEXT NOT NULL,
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX signing_keys_of ON signing_keys (agent, created_at, id);

-- Signatures that were accepted, as long as they are young enough to be sent again.
CREATE TABLE used_signatures (
  hash TEXT PRIMARY KEY,
  until INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX used_signatures_until ON used_signatures (until);

-- 1 for an agent that turned bearer keys off.
ALTER TABLE agents ADD COLUMN signed_only INTEGER NOT NULL DEFAULT 0;

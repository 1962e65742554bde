-- Whether everybody may read where social.toml does not say: a network that had agents before keeps asking for a key.
CREATE TABLE network_defaults (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO network_defaults SELECT 'public_reads', NOT EXISTS (SELECT 1 FROM agents);

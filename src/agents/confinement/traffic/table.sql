CREATE TABLE session_traffic (
  session TEXT NOT NULL,
  host TEXT NOT NULL,
  run TEXT NOT NULL,
  connections INTEGER NOT NULL,
  denied INTEGER NOT NULL,
  sent INTEGER NOT NULL,
  received INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (session, host)
) WITHOUT ROWID;
CREATE INDEX session_traffic_last ON session_traffic (last_at);

ALTER TABLE replays RENAME TO replays_before;
-- The responses to requests with an `Idempotency-Key`, in the order of their keys. `at` is in milliseconds: the date in
-- a UUIDv7 if `is_dated`, else the time at which the request came.
CREATE TABLE replays (
  at INTEGER NOT NULL,
  scope BLOB NOT NULL,
  is_dated INTEGER NOT NULL,
  print BLOB NOT NULL,
  kind TEXT NOT NULL,
  status INTEGER,
  headers TEXT,
  body TEXT NOT NULL,
  PRIMARY KEY (at, scope)
) WITHOUT ROWID;
CREATE INDEX replays_undated ON replays (scope) WHERE is_dated = 0;
-- The date of the newest dated key that was ever dropped.
CREATE TABLE replays_dropped (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  at INTEGER NOT NULL
);
INSERT INTO replays_dropped VALUES (1, 0);
INSERT INTO replays
  SELECT expires_at - 1800000, unhex(substr(scope, 1, 32)), 0, unhex(substr(print, 1, 32)), iif(body = '', 'begun', 'answer'), status, nullif(headers, '{}'), body
  FROM replays_before;
DROP TABLE replays_before;

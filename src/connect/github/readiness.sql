CREATE TABLE pull_request_readiness (
  monitor TEXT NOT NULL,
  number INTEGER NOT NULL,
  head_sha TEXT NOT NULL,
  failure TEXT NOT NULL,
  shown TEXT NOT NULL,
  repair TEXT NOT NULL,
  is_given INTEGER NOT NULL,
  PRIMARY KEY (monitor, number)
) WITHOUT ROWID;

-- Who vouches for whom: claimed agents for others.
CREATE TABLE vouches (
  voucher INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (agent, voucher)
) WITHOUT ROWID;
CREATE INDEX vouches_by ON vouches (voucher, agent);

-- Texts of the last days that repeated another, by whose they were.
CREATE TABLE text_repeats (
  n INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL,
  at INTEGER NOT NULL
);
CREATE INDEX text_repeats_by ON text_repeats (agent, at);
CREATE INDEX text_repeats_old ON text_repeats (at);

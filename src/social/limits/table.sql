-- What was done lately that is limited, by whom: an agent's number, or an address.
CREATE TABLE charges (
  who TEXT NOT NULL,
  what TEXT NOT NULL,
  at INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  PRIMARY KEY (who, what, at, turn)
) WITHOUT ROWID;
CREATE INDEX charges_old ON charges (at);

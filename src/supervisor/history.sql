-- What a city was when it was last open, so that one that lost its database is told from a new one.
CREATE TABLE city_history (
  city TEXT PRIMARY KEY COLLATE NOCASE,
  opened_at INTEGER,
  backed_up_at INTEGER,
  backup_file TEXT
) WITHOUT ROWID;

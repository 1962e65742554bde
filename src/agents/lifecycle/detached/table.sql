CREATE TABLE detached_processes (
  session TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT NOT NULL,
  command TEXT NOT NULL,
  found_at INTEGER NOT NULL,
  PRIMARY KEY (session, pid, started)
) WITHOUT ROWID;

-- What gc wrote into projects, and is to take out again.
CREATE TABLE project_files (
  folder TEXT NOT NULL,
  path TEXT NOT NULL,
  kind TEXT NOT NULL,
  hash TEXT NOT NULL,
  original TEXT,
  exclude_file TEXT,
  pattern TEXT,
  PRIMARY KEY (folder, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_files_by_exclude_file ON project_files (exclude_file) WHERE exclude_file IS NOT NULL;

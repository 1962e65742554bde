CREATE INDEX sessions_folder ON sessions (work_dir);

-- Steps of one continuation group may be for several agents: each agent's steps stay with one session of that agent.
CREATE TABLE run_sessions_by_target (
  root_id TEXT NOT NULL,
  continuation_group TEXT NOT NULL,
  target TEXT NOT NULL,
  session_id TEXT NOT NULL,
  identity TEXT NOT NULL,
  PRIMARY KEY (root_id, continuation_group, target)
) WITHOUT ROWID;
INSERT INTO run_sessions_by_target
  SELECT r.root_id, r.continuation_group, s.template, r.session_id, r.identity
  FROM run_sessions r JOIN sessions s ON s.id = r.session_id;
DROP TRIGGER run_sessions_removed;
DROP TABLE run_sessions;
ALTER TABLE run_sessions_by_target RENAME TO run_sessions;
CREATE TRIGGER run_sessions_removed AFTER DELETE ON beads BEGIN
  DELETE FROM run_sessions WHERE root_id = old.id;
END;

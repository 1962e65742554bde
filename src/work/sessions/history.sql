CREATE INDEX sessions_by_template ON sessions (template, created_at DESC, id DESC);
CREATE INDEX session_messages_request ON session_messages (request_id) WHERE request_id IS NOT NULL;

-- How many sessions of an agent are closed; kept by the triggers below.
CREATE TABLE closed_sessions (
  template TEXT PRIMARY KEY,
  n INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO closed_sessions SELECT template, count(*) FROM sessions WHERE state = 'closed' GROUP BY template;
CREATE TRIGGER sessions_closed AFTER UPDATE OF state ON sessions WHEN (old.state = 'closed') != (new.state = 'closed') BEGIN
  INSERT INTO closed_sessions VALUES (new.template, 0) ON CONFLICT DO NOTHING;
  UPDATE closed_sessions SET n = n + (new.state = 'closed') - (old.state = 'closed') WHERE template = new.template;
END;
CREATE TRIGGER sessions_forgotten AFTER DELETE ON sessions WHEN old.state = 'closed' BEGIN
  UPDATE closed_sessions SET n = n - 1 WHERE template = old.template;
END;

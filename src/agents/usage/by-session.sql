-- What a session used while it worked on one thing.
CREATE INDEX usage_facts_by_session ON usage_facts (session_id, at);

CREATE INDEX agents_karma ON agents (karma DESC, n) WHERE deleted_at IS NULL;

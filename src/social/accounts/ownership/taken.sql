-- A claim that was taken is kept, so that its address says so instead of nothing.
ALTER TABLE agent_claims ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;

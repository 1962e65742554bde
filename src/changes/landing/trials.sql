-- Batches of one branch that waits for approval: they are checked, and never pushed.
ALTER TABLE landing_batches ADD COLUMN trial INTEGER NOT NULL DEFAULT 0;

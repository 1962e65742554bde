-- Runs that are over and in which a step failed, until a person dismisses them; what a drain started for a member only when
-- the drain does not fail with it. Those that are over already were never listed.
ALTER TABLE runs ADD COLUMN dismissed_at INTEGER;
UPDATE runs SET dismissed_at = updated_at WHERE error_message IS NOT NULL AND list_rank = 2;
CREATE INDEX runs_with_failure ON runs (updated_at DESC, root_id)
  WHERE error_message IS NOT NULL AND dismissed_at IS NULL
    AND (state = 'completed' OR (state = 'failed' AND parent_id IS NULL));

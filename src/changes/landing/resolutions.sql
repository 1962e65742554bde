-- When the owner of a branch that was given back went on with it, and what that cost.
ALTER TABLE landing_letters ADD COLUMN resolved_at INTEGER;
-- Unknown until the landing is over or is given back again.
ALTER TABLE landing_letters ADD COLUMN tokens INTEGER;
ALTER TABLE landing_letters ADD COLUMN cost REAL;
ALTER TABLE landing_letters ADD COLUMN unpriced INTEGER;

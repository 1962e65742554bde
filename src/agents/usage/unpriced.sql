-- The highest that answers without a known price can have cost.
ALTER TABLE usage_facts ADD COLUMN assumed REAL NOT NULL DEFAULT 0;
ALTER TABLE usage_sums ADD COLUMN assumed REAL NOT NULL DEFAULT 0;

-- Runs of orders in the order of feeds: those that go on, those that failed, the others. What a formula made of a run
-- stands in feeds itself.
ALTER TABLE order_runs ADD COLUMN feed_rank INTEGER GENERATED ALWAYS AS (
  CASE WHEN state != 'done' THEN 0 WHEN outcome = 'success' THEN 3 ELSE 2 END
) VIRTUAL;
ALTER TABLE order_runs ADD COLUMN updated_at INTEGER GENERATED ALWAYS AS (coalesce(ended_at, created_at)) VIRTUAL;
CREATE INDEX order_runs_fed ON order_runs (feed_rank, kind DESC, updated_at DESC, tracking_id) WHERE root_id IS NULL;
CREATE INDEX order_runs_fed_by_rig ON order_runs (rig, feed_rank, kind DESC, updated_at DESC, tracking_id)
  WHERE root_id IS NULL AND rig != '';

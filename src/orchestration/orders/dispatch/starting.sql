-- Commands of orders that are to be started: those of webhooks, which come in any number, apart from the others.
CREATE INDEX order_runs_starting ON order_runs (cause = 'webhook', created_at, tracking_id)
  WHERE state = 'starting' AND kind = 'exec';

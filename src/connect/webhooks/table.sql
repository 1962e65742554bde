-- The deliveries that something followed from, so that none is followed twice.
CREATE TABLE webhook_deliveries (
  webhook TEXT NOT NULL,
  digest TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (webhook, digest)
) WITHOUT ROWID;
CREATE INDEX webhook_deliveries_by_expiry ON webhook_deliveries (expires_at);

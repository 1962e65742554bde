-- Orders begin at the head of the log.
INSERT OR IGNORE INTO cursors (consumer, seq) SELECT 'orders', seq FROM events ORDER BY seq DESC LIMIT 1;

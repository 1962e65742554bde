-- Whether one is read stands in the index too: what is unread is counted for each post without its rows.
DROP INDEX notifications_unread;
CREATE INDEX notifications_unread ON notifications (agent, post, place, read_at, kind, actor) WHERE read_at IS NULL;

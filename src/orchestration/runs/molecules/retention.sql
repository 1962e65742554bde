-- Bookkeeping that is over, the oldest first: it is removed after a while.
CREATE INDEX beads_ephemeral_over ON beads (updated_at, id)
  WHERE ephemeral = 1 AND status = 'closed' AND type NOT IN ('message', 'session', 'wait');

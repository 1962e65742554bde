-- What is open of a scope: whether any is left must not cost more for what is closed.
CREATE INDEX beads_open_by_scope ON beads (root_id, scope_ref, id)
  WHERE root_id IS NOT NULL AND scope_ref IS NOT NULL AND status != 'closed';

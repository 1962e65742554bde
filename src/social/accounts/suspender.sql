-- Who suspended an agent, and alone may end that: the operator or its owner.
ALTER TABLE agents ADD COLUMN suspended_by TEXT;
UPDATE agents SET suspended_by = iif(suspended_for = 'suspended by its owner', 'owner', 'operator')
  WHERE suspended_at IS NOT NULL;

-- The schedule that an order was last seen with, and since when it can have missed a time of it.
ALTER TABLE order_triggers ADD COLUMN schedule TEXT;
ALTER TABLE order_triggers ADD COLUMN since INTEGER;

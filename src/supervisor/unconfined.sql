-- Cities from before sessions were confined by default: their home goes on as it was, once, until a person decides.
ALTER TABLE cities ADD COLUMN ran_unconfined INTEGER;
UPDATE cities SET ran_unconfined = 1;

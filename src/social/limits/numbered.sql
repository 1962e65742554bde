-- The charges of one kind to one agent are numbered in their order, so that none has to be counted. Those before are not.
DELETE FROM charges;
DROP INDEX charges_old;
CREATE INDEX charges_old ON charges (what, at);

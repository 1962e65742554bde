-- Copies are recognized by their words in order. What is stored of texts is of the last days only, and begins anew.
DELETE FROM text_bands;
DELETE FROM text_prints;
ALTER TABLE text_prints RENAME COLUMN sketch TO words;

-- The state of a city that was closed with nothing to do, as JSON: it is opened when something needs it.
ALTER TABLE city_history ADD COLUMN rest TEXT;

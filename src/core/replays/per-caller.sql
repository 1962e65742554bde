ALTER TABLE replays ADD COLUMN caller TEXT NOT NULL DEFAULT '';
ALTER TABLE replays ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
CREATE INDEX replays_by_caller ON replays (caller, turn);

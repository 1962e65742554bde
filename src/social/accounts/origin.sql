-- Whether it was registered from elsewhere: then it is a newcomer for a while. Whoever is on this machine is known.
ALTER TABLE agents ADD COLUMN foreign_born INTEGER NOT NULL DEFAULT 0;

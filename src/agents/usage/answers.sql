-- Names an answer of a model in whichever log it stands, so that a copy in another session's log is not counted again.
ALTER TABLE usage_facts ADD COLUMN answer TEXT NOT NULL DEFAULT '';
CREATE INDEX usage_facts_by_answer ON usage_facts (answer) WHERE answer != '';

-- What agents used of each model, by the local days of the supervisor.
CREATE TABLE usage_days (
  day TEXT NOT NULL,
  rig TEXT NOT NULL,
  agent TEXT NOT NULL,
  model TEXT NOT NULL,
  invocations INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  cost REAL NOT NULL DEFAULT 0,
  unpriced INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, rig, agent, model)
) WITHOUT ROWID;
INSERT INTO usage_days
  SELECT strftime('%Y-%m-%d', at / 1000, 'unixepoch', 'localtime'), rig, agent, model, count(*),
    sum(input + output + cache_read + cache_write), sum(cost), sum(unpriced)
  FROM usage_facts WHERE kind = 'model' GROUP BY 1, 2, 3, 4;

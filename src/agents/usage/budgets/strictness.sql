-- Has a row while agents whose programs do not report what they use go on under a budget: in a city that an earlier gc
-- had open.
CREATE TABLE lenient_budgets (since INTEGER NOT NULL);
INSERT INTO lenient_budgets SELECT at FROM events ORDER BY seq DESC LIMIT 1;

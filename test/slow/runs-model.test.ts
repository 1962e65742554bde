import { test } from 'bun:test'
import { checkRuns } from '../orchestration/model/check.ts'
import { SEED } from '../support/seed.ts'

const RUNS = Number(process.env.GC_RUNS ?? 100)

test(
  `runs of ${RUNS} random formulas go by the rules for authors, step by step`,
  () => checkRuns(SEED * 100_000, RUNS),
  60_000 + RUNS * 5_000,
)

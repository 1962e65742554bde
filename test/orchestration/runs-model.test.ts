import { test } from 'bun:test'
import { SEED } from '../support/seed.ts'
import { checkRuns } from './model/check.ts'

test('runs of random formulas go by the rules for authors, step by step', () => checkRuns(SEED * 100_000, 20), 60_000)

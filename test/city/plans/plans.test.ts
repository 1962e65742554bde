import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openTown } from '../../cli/town.ts'
import { ALLOWED, fits, isSuspect } from './allowed.ts'
import { recordStatements, type Step, stepsOf, triggerStatements } from './recorded.ts'
import { doEverything } from './script.ts'

const describeStep = ({ sql, step }: Step): string => `${step} in ${sql}`

test('no statement of a city reads rows in proportion to finished work', async () => {
  using recorded = recordStatements('city.db')
  await using town = await openTown()
  await doEverything(town)
  expect(town.reports).toEqual([])
  using db = new Database(join(town.city, '.gc/city.db'), { readonly: true })
  const statements = [...recorded.statements].filter((sql) => /^\s*(SELECT|WITH|UPDATE|DELETE|INSERT)\b/i.test(sql))
  expect(statements.length).toBeGreaterThan(200)
  const suspects = [...statements, ...triggerStatements(db)].flatMap((sql) => stepsOf(db, sql)).filter(isSuspect)
  expect(suspects.filter((each) => !ALLOWED.some((allowed) => fits(each, allowed))).map(describeStep)).toEqual([])
}, 60_000)

test('a statement that walks or sorts its way through what is over would be seen', () => {
  using db = new Database(':memory:')
  db.run('CREATE TABLE past (id TEXT PRIMARY KEY, at INTEGER, done INTEGER)')
  db.run(
    `CREATE TRIGGER past_added AFTER INSERT ON past WHEN new.done = 1 BEGIN
       UPDATE past SET at = new.at WHERE at > old.at;
       DELETE FROM past WHERE id = new.id;
     END`,
  )
  const [walks = '', finds = ''] = triggerStatements(db)
  expect(stepsOf(db, walks).filter(isSuspect).map(describeStep)).toEqual([
    'SCAN past in UPDATE past SET at = ? WHERE at > ?',
  ])
  expect(stepsOf(db, finds).filter(isSuspect)).toEqual([])
  const sorted = stepsOf(db, "SELECT * FROM past WHERE id > 'a' ORDER BY at").filter(isSuspect)
  expect(sorted.map(({ step }) => step)).toEqual(['USE TEMP B-TREE FOR ORDER BY'])
})

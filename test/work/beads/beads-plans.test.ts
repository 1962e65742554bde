import { expect, test } from 'bun:test'
import { buildWork } from '../../support/work.ts'
import { callerOf, human, openWork, plan } from '../world.ts'

const BIG = /^(SCAN|SEARCH) (beads|b|c|child|bead_labels|l|bead_edges|e|claims|claim_losses)\b/
/** Small by construction: partial indexes over what is open now, and the recursion of a graph. */
const SMALL = /INDEX beads_(ready|deferred|routed|held)\b|INDEX claims_(held|due)\b/

test('no prepared statement of work scans closed beads', async () => {
  await using work = openWork()
  const { store, log, clock, deadlines } = work
  const statements = new Set<string>()
  const prepare = store.prepare.bind(store)
  store.prepare = (sql: string) => {
    statements.add(sql)
    return prepare(sql)
  }
  const scope = { current: { name: 'mill', prefix: 'mi', rigs: [] } }
  const workers = { worker: () => ({ ...worker, session: 'ada' }) }
  const { beads, claims, convoys } = buildWork({ store, log, clock, deadlines, scope, workers })

  const bead = await beads.create({ title: 'a', metadata: { 'gc.routed_to': 'press/hand' } })
  await claims.next(callerOf('ada'))
  await beads.update(human, bead.id, { title: 'b', status: 'closed', labels: ['x'] })
  await convoys.create(human, { title: 'c', items: [bead.id] })

  const walks = [...statements].flatMap((sql) =>
    /^\s*(SELECT|WITH|UPDATE|DELETE)/.test(sql) ? plan(store, sql).map((step) => ({ sql, step })) : [],
  )
  expect(statements.size).toBeGreaterThan(40)
  const bad = walks.filter(({ step }) => step.startsWith('SCAN') && BIG.test(step) && !SMALL.test(step))
  expect(bad).toEqual([])
})

const worker = {
  sessionName: 's-ada',
  agent: 'press/hand',
  identity: 'ada',
  names: ['ada'],
  incarnation: '1',
  hosted: true,
}

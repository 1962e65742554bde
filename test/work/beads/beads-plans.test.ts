import { expect, test } from 'bun:test'
import { nextTick } from '../../../src/core/event-loop.ts'
import { recordStatements } from '../../city/plans/recorded.ts'
import { human, openWork, plan } from '../world.ts'

const BIG = /^(SCAN|SEARCH) (beads|b|c|child|bead_labels|l|bead_edges|e|claims|claim_losses)\b/
/** Small by construction: partial indexes over what is open now, and the recursion of a graph. */
const SMALL = /INDEX beads_(ready|deferred|routed|held|guarding)\b|INDEX claims_(held|due)\b/

test('no prepared statement of work scans closed beads', async () => {
  using recorded = recordStatements('city.db')
  await using work = await openWork()
  const { store, beads, claims, convoys } = work
  const ada = await work.session('ada')
  const bead = await beads.create(human, { title: 'a', metadata: { 'gc.routed_to': 'press/hand' } })
  await claims.next(work.caller(ada.id))
  await beads.update(human, bead.id, { title: 'b', status: 'closed', labels: ['x'] })
  await convoys.create(human, { title: 'c', items: [bead.id] })

  // The transaction in which followers of the last write read is over.
  await nextTick()
  const { statements } = recorded
  const walks = [...statements].flatMap((sql) =>
    /^\s*(SELECT|WITH|UPDATE|DELETE)/.test(sql) ? plan(store, sql).map((step) => ({ sql, step })) : [],
  )
  expect(statements.size).toBeGreaterThan(40)
  const bad = walks.filter(({ step }) => step.startsWith('SCAN') && BIG.test(step) && !SMALL.test(step))
  expect(bad).toEqual([])
})

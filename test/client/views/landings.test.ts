import { describe, expect, test } from 'bun:test'
import { type Landing, type LandStatus, landingActions, trainActions } from '../../../client/views/landing-actions.ts'
import { headOf, landingsPage } from '../../../client/views/landings.ts'
import type { Action } from '../../../client/views/page.ts'
import { reachTo } from '../../tui/reach.ts'

const landing = (id: string, state: Landing['state'], more: Partial<Landing> = {}): Landing => ({
  ...{ id, rig: 'shop', target: 'main', state, branch: `gc/${id}`, head: 'abc', try: 1, submitted_by: 'ann' },
  ...{ submitted_at: '2026-11-29T09:00:00Z', updated_at: '2026-11-29T09:00:00Z' },
  ...more,
})

const STATUS: LandStatus = {
  ...{ rig: 'shop', mode: 'push', target: 'main', base: '0123456789abcdef' },
  queue: [landing('ld-a', 'in_batch'), landing('ld-b', 'in_batch'), landing('ld-c', 'queued')],
  waiting: [landing('ld-d', 'conflict', { reason: 'conflicts in a.txt' })],
  batch: {
    ...{ id: 'lb-1', state: 'bisecting', base: '01', landings: ['ld-a', 'ld-b'] },
    check: { id: 'k', batch: 'lb-1', of: 'ld-a', commit: 'c', state: 'running', started_at: '2026-11-29T09:01:00Z' },
    expected_end: '2026-11-29T09:05:00Z',
  },
}
const IDLE: LandStatus = { rig: 'api', mode: 'off', target: 'main', queue: [], waiting: [] }

/** A city that answers with these landings, and what it was asked. */
function city() {
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      const path = pathname.split('/town/')[1] ?? ''
      asked.push(`${request.method} ${path}${search} ${await request.text()}`.trim())
      const answers: Record<string, unknown> = {
        rigs: { items: [{ name: 'shop' }, { name: 'api' }] },
        ...{ 'rig/shop/land': STATUS, 'rig/api/land': IDLE },
        landings: { items: [landing('ld-z', 'landed')], next_cursor: '9' },
      }
      return Response.json(answers[path] ?? {}, { headers: { 'X-GC-Request-Id': 'r' } })
    },
  })
  return { asked, reach: reachTo(`http://127.0.0.1:${server.port}`), [Symbol.dispose]: () => void server.stop(true) }
}

const load = (reach: ReturnType<typeof reachTo>, sort?: string, cursor?: string) =>
  landingsPage.load(reach, { cursor, sort, filter: '' })

describe('the page of landings', () => {
  test('has what is on its way in the order of the queue, with the place, batch and check of each', async () => {
    using town = city()
    const { items, head = [] } = await load(town.reach)
    const at = (title: string) => landingsPage.columns.findIndex((column) => column.title === title)
    const shown = items.map(({ cells }) => ['#', 'landing', 'state', 'batch', 'reason'].map((t) => cells[at(t)]?.text))
    expect(shown).toEqual([
      ['1', 'ld-a', 'bisecting', '1 of 2', ''],
      ['2', 'ld-b', 'bisecting', '2 of 2', ''],
      ['3', 'ld-c', 'queued', '', ''],
      ['', 'ld-d', 'conflict', '', 'conflicts in a.txt'],
    ])
    expect(items[0]?.cells[at('check')]).toEqual({ since: '2026-11-29T09:01:00Z', tone: 'busy' })
    expect(items[0]?.opens).toEqual({ page: 'landing', city: 'town', subject: 'ld-a' })
    expect(head.map(({ said, text }) => (said ?? text).replace(/(since|until) [^,.]*/g, '$1 …'))).toEqual([
      'Rig shop lands on main at 0123456789ab (mode push).',
      'shop: a batch of 2 landings is bisecting, checked since …, probably until ….',
    ])
    expect(head.at(-1)?.text.slice(0, 20)).toBe(`${'█'.repeat(19)}░`)
  })

  test('has a bar of the time that its check has taken, which is full only when the check has ended', () => {
    const barAt = (time: string) =>
      headOf(STATUS, Date.parse(`2026-11-29T${time}Z`))
        .at(-1)
        ?.text.slice(0, 20)
    expect(barAt('09:01:00')).toBe('░'.repeat(20))
    expect(barAt('09:03:00')).toBe('█'.repeat(10) + '░'.repeat(10))
    expect(barAt('09:30:00')).toBe(`${'█'.repeat(19)}░`)
  })

  test('reads the landed ones page by page', async () => {
    using town = city()
    expect(await load(town.reach, 'landed ones')).toMatchObject({ next: '9', items: [{ id: 'ld-z' }] })
    await load(town.reach, 'landed ones', '9')
    expect(town.asked.filter((each) => each.includes('landings'))).toEqual([
      'GET landings?limit=100&state=landed',
      'GET landings?limit=100&state=landed&cursor=9',
    ])
  })
})

const able = (actions: readonly Action[]) =>
  actions.filter(({ disabled }) => disabled === undefined).map(({ name }) => name)

describe('the actions on a landing', () => {
  test('are those that its state allows, and the others say why not', () => {
    const verbs = (state: Landing['state']) =>
      able(landingActions(landing('ld-a', state))).filter((name) => !['change', 'copy'].includes(name))
    expect(verbs('queued')).toEqual(['hold', 'cancel', 'give-up'])
    expect(verbs('held')).toEqual(['retry', 'release', 'cancel', 'give-up'])
    expect(verbs('red')).toEqual(['retry', 'hold', 'cancel', 'give-up'])
    for (const state of ['in_batch', 'landed', 'cancelled'] as const) expect([state, verbs(state)]).toEqual([state, []])
    const [retry] = landingActions(landing('ld-a', 'in_batch'))
    expect(retry?.disabled).toBe('ld-a is being checked or pushed; wait, or pause the rig first')
  })

  test('ask the server for what they say, with the reason that was given, and hold is undone by a release', async () => {
    using town = city()
    const run = (state: Landing['state'], name: string, values = {}) =>
      landingActions(landing('ld-a', state))
        .find((action) => action.name === name)
        ?.run(town.reach, values)
    const held = await run('queued', 'hold', { reason: 'Friday' })
    await held?.undo?.run(town.reach, {})
    for (const name of ['retry', 'cancel', 'give-up']) await run('red', name)
    expect(town.asked).toEqual([
      'POST landing/ld-a/hold {"reason":"Friday"}',
      ...['release', 'retry', 'cancel', 'give-up'].map((verb) => `POST landing/ld-a/${verb} {}`),
    ])
  })

  test('on a rig pause and resume it; of several rigs one is chosen', async () => {
    const { paused, ...running } = { ...STATUS, paused: { by: 'ann', since: '' } }
    expect(able(trainActions([running]))).toEqual(['pause'])
    expect(able(trainActions([{ ...running, paused }]))).toEqual(['resume'])
    expect(able(trainActions([]))).toEqual([])
    const [pause] = trainActions([running, { ...running, rig: 'api' }])
    expect(pause?.fields).toMatchObject([{ initial: 'shop', choices: ['shop', 'api'] }])
    using town = city()
    const done = await pause?.run(town.reach, { rig: 'api' })
    await done?.undo?.run(town.reach, {})
    expect(town.asked).toEqual(['POST rig/api/land/pause', 'POST rig/api/land/resume'])
  })
})

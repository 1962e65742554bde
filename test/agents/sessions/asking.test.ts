import { describe, expect, test } from 'bun:test'
import type { City } from '../../../src/city/city.ts'
import type { Question } from '../../../src/host/protocol/question.ts'
import { human } from '../../../src/http/guard.ts'
import { sessionMessages } from '../../../src/work/sessions/table.ts'
import { type ScriptedTown, scriptedTown } from '../../support/city.ts'
import { until } from '../../support/until.ts'

const MINUTE = 60_000

/** An agent of one session for each kind of program, and one whose program asks by protocol. */
const agents = (...names: string[]) =>
  names
    .map((name) => {
      const provider = `[providers.my-${name}]\nbase = "builtin:${name}"\ncommand = "sh"\nprompt_mode = "none"\n`
      return `${provider}[[agent]]\nname = "${name}"\nprovider = "my-${name}"\nmax_active_sessions = 1\n`
    })
    .join('')
const PROTOCOL = `
[[agent]]
name = "protocol"
session = "acp"
start_command = "true"
max_active_sessions = 1
`
const NAMES = ['claude', 'codex', 'gemini', 'protocol']
const CHOICES = [
  { id: 'ok', name: 'Yes', kind: 'allow_once' },
  { id: 'no', name: 'No', kind: 'reject_once' },
]

const dialog = (id: string, text: string): Question => ({
  ...{ id, kind: 'approval', prompt: 'Do you want to proceed?', text, cut: false, since: '2026-01-05T09:00:00.000Z' },
  options: [
    { id: '1', label: 'Yes', role: 'allow-once' },
    { id: '2', label: 'No', role: 'deny' },
  ],
  picture: [text, 'Do you want to proceed?', '❯ 1. Yes', '  2. No'],
})

const sling = async (city: City, agent: string) =>
  (await city.beads.create(human, { title: `for ${agent}`, metadata: { 'gc.routed_to': agent } })).id

const keyOf = (city: City, agent: string): string =>
  city.sessionRepository.live().find(({ template }) => template === agent)?.hostKey ?? ''

const count = (city: City, type: string): number => city.log.page({ type, limit: 100 }).items.length

/** Lets time pass in steps in which the city does what is due. */
async function pass({ clock }: ScriptedTown, city: City, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 15_000) {
    await clock.advance(Math.min(15_000, ms - passed))
    await city.reconciler.settle()
  }
}

/** Sessions of four programs, each of which asks before it holds the bead that it was started for. */
async function openAsking(town: ScriptedTown) {
  const city = await town.open()
  const beads = await Promise.all(NAMES.map((name) => sling(city, name)))
  await city.reconciler.settle()
  const request = { type: 'asked', request: 'permission-1', tool: { title: 'git push' }, choices: CHOICES } as const
  await town.host.report(keyOf(city, 'protocol'), request)
  for (const name of NAMES.slice(0, 3)) town.host.ask(keyOf(city, name), dialog(`screen-${name}`, `git push ${name}`))
  await until(() => count(city, 'attention.raised') === NAMES.length)
  return { city, beads }
}

const BOXES: Question = {
  ...{ id: 'screen-b', kind: 'choice', prompt: 'Which colours?', text: '', cut: false },
  ...{ since: '2026-01-05T09:00:00.000Z', picture: [] },
  options: [
    { id: '1', label: 'Red', role: 'other', ticks: true },
    { id: '2', label: 'Blue: As the sea', role: 'other', ticks: true },
    { id: '3', label: 'Type something', role: 'other', ticks: true, text: 'required' },
    { id: 'Submit', label: 'Submit', role: 'other' },
  ],
}

describe('boxes to tick', () => {
  test('are answered together, by number or by words, and what was taken is on record', async () => {
    await using town = scriptedTown(agents('claude'))
    const city = await town.open()
    await sling(city, 'claude')
    await city.reconciler.settle()
    town.host.ask(keyOf(city, 'claude'), BOXES)
    await until(() => count(city, 'session.asked') === 1)
    const { messaging } = city.sessions
    const fails = (answer: string, text?: string) =>
      messaging.answer('question:1', human, { answer, ...(text !== undefined && { text }) }).then(
        () => 'it was taken',
        (error) => JSON.stringify(error.fieldErrors ?? error.message),
      )
    expect(await fails('1,Submit')).toContain('is an answer of its own; name it alone')
    expect(await fails('1,green')).toContain('is not an answer to this question')
    expect(await fails('red,3')).toContain('wants words of yours')
    expect(count(city, 'session.answered')).toBe(0)
    const answered = await messaging.answer('question:1', human, { answer: 'blue, 1' })
    expect(answered).toMatchObject({ state: 'answered', choice: 'Red, Blue: As the sea' })
    expect(town.host.choices).toMatchObject([{ question: 'screen-b', option: '1,2' }])
    expect(city.log.page({ type: 'session.answered', limit: 10 }).items).toMatchObject([
      { payload: { choice: 'Red, Blue: As the sea' } },
    ])
  })
})

const LISTS: Question = {
  ...BOXES,
  id: 'screen-f',
  options: [
    {
      ...{ id: '1', label: 'Place', role: 'other', ticks: true, text: 'required' },
      choices: ['Staging', 'Production, live'],
    },
    {
      ...{ id: '2', label: 'Sizes', role: 'other', ticks: true, text: 'required' },
      ...{ choices: ['small', 'large'], several: true },
    },
    { id: 'Accept', label: 'Accept', role: 'allow-once' },
    { id: 'Decline', label: 'Decline', role: 'deny' },
  ],
}

describe('a form with lists', () => {
  test('is listed with their choices and a number for each answer, and takes choices by number or words alone', async () => {
    await using town = scriptedTown(agents('claude'))
    const city = await town.open()
    await sling(city, 'claude')
    await city.reconciler.settle()
    town.host.ask(keyOf(city, 'claude'), LISTS)
    await until(() => count(city, 'session.asked') === 1)
    expect(city.attention.list().items).toMatchObject([
      {
        ...{ answers: ['1', '2', '3', '4'], options: ['Place', 'Sizes', 'Accept', 'Decline'], ticks: ['1', '2'] },
        lists: [
          { answer: '1', choices: ['Staging', 'Production, live'], several: false },
          { answer: '2', choices: ['small', 'large'], several: true },
        ],
      },
    ])
    const { messaging } = city.sessions
    const give = (answer: string, text: string) => messaging.answer('question:1', human, { answer, text })
    const refused = (answer: string, text: string) =>
      give(answer, text).then(
        () => 'it was taken',
        (error) => JSON.stringify(error.fieldErrors),
      )
    expect(await refused('1', 'Mars')).toContain('is not in the list of')
    expect(await refused('1', '1, 2')).toContain('name one, by number or in words: 1 Staging, 2 Production, live')
    expect(await refused('1,2', 'staging\nsmall, 3')).toContain('name any of it')
    expect(count(city, 'session.answered')).toBe(0)
    expect(await give('place,2', '2\nLARGE, 1')).toMatchObject({
      ...{ state: 'answered', choice: 'Place, Sizes', choice_text: '2\nsmall, large' },
    })
    expect(town.host.choices).toMatchObject([{ question: 'screen-f', option: '1,2', text: '2\nsmall, large' }])
    expect(city.log.page({ type: 'session.answered', limit: 10 }).items).toMatchObject([
      { payload: { choice: 'Place, Sizes', choice_text: '2\nsmall, large' } },
    ])
  })

  test('is declined by the number that its list has for that', async () => {
    await using town = scriptedTown(agents('claude'))
    const city = await town.open()
    await sling(city, 'claude')
    await city.reconciler.settle()
    town.host.ask(keyOf(city, 'claude'), LISTS)
    await until(() => count(city, 'session.asked') === 1)
    const answered = await city.sessions.messaging.answer('question:1', human, { answer: '4' })
    expect(answered).toMatchObject({ state: 'answered', choice: 'Decline' })
    expect(town.host.choices).toMatchObject([{ option: 'Decline' }])
  })
})

describe('a session that asks a person', () => {
  test('is left alone for as long as it takes, whatever its program, before it holds a bead, and over a jump of the clock', async () => {
    await using town = scriptedTown(`${agents('claude', 'codex', 'gemini')}${PROTOCOL}`)
    const { city, beads } = await openAsking(town)
    const states = () =>
      city.sessionRepository
        .live()
        .map(({ template, state, hostKey }) => [template, state, hostKey])
        .sort()
    const before = states()
    expect(before.map(([name, state]) => [name, state])).toEqual(NAMES.map((name) => [name, 'active']))
    const head = city.log.head
    const { items } = city.attention.list()
    await pass(town, city, 30 * MINUTE)
    town.clock.step(24 * 60 * MINUTE)
    await pass(town, city, 2 * MINUTE)
    expect(states()).toEqual(before)
    const types = city.log.after(head, 1000).map(({ type }) => type)
    expect(types.filter((type) => type !== 'gc.store.maintenance.done')).toEqual([])
    expect(city.attention.list().items).toEqual(items)
    for (const bead of beads) {
      expect(city.beadRepository.get(bead)).toMatchObject({ status: 'open' })
      expect(city.sessionServices.failures.find('bead', bead)).toBeUndefined()
    }
  }, 30_000)

  test('has the time that its program is given from the answer on', async () => {
    await using town = scriptedTown(`[session]\nstartup_timeout = "2m"\n${agents('claude')}`)
    const city = await town.open()
    const bead = await sling(city, 'claude')
    await city.reconciler.settle()
    town.host.ask(keyOf(city, 'claude'), dialog('screen-1', 'git push'))
    await until(() => count(city, 'attention.raised') === 1)
    await pass(town, city, 30 * MINUTE)
    expect(await city.sessions.messaging.answer('question:1', human, { answer: 'yes' })).toMatchObject({
      ...{ state: 'answered', choice: 'Yes', answered_by: 'human', text: 'git push' },
    })
    await pass(town, city, 0.75 * MINUTE)
    expect(city.sessionServices.failures.find('bead', bead)).toBeUndefined()
    expect(city.sessionRepository.live()).toMatchObject([{ state: 'active' }])
    await pass(town, city, 3 * MINUTE)
    expect(city.sessionServices.failures.find('bead', bead)).toMatchObject({ deaths: 1 })
  }, 30_000)

  test('is listed with a part of a megabyte, which reports it and cannot mislead, and is answered', async () => {
    await using town = scriptedTown(`${agents('claude')}${PROTOCOL}`)
    const city = await town.open()
    for (const name of ['claude', 'protocol']) await sling(city, name)
    await city.reconciler.settle()
    const command = `rm -rf \x1b[8mbuild\u202e${'x'.repeat(1 << 20)}`
    town.host.ask(keyOf(city, 'claude'), dialog('screen-1', command))
    const tool = { title: command, rawInput: { command } }
    await town.host.report(keyOf(city, 'protocol'), { type: 'asked', request: 'permission-1', tool, choices: CHOICES })
    await until(() => count(city, 'attention.raised') === 2)
    const { items } = city.attention.list()
    for (const item of items) {
      expect(item).toMatchObject({ cut: true, text: expect.stringContaining('rm -rf \ufffd[8mbuild\ufffdxxx') })
      expect(JSON.stringify(item).length).toBeLessThan(200_000)
    }
    for (const { id } of items) await city.sessions.messaging.answer(id, human, { answer: 'no' })
    await until(() => count(city, 'attention.cleared') === 2)
  })

  test('that ends as a person answered counts against nothing', async () => {
    await using town = scriptedTown(agents('claude'))
    const city = await town.open()
    const bead = await sling(city, 'claude')
    await city.reconciler.settle()
    const key = keyOf(city, 'claude')
    town.host.ask(key, dialog('screen-1', 'Do you trust this folder?'))
    await until(() => count(city, 'attention.raised') === 1)
    await city.sessions.messaging.answer('question:1', human, { answer: 'no' })
    await town.host.exit(key, 1)
    expect(city.sessionServices.failures.find('bead', bead)).toBeUndefined()
    expect(city.sessionServices.failures.find('agent', 'claude')).toBeUndefined()
  })

  test('is in the history of its session and its bead: what was asked, who answered what, and when', async () => {
    await using town = scriptedTown(agents('claude'))
    const city = await town.open()
    const bead = await sling(city, 'claude')
    await city.reconciler.settle()
    town.host.ask(
      keyOf(city, 'claude'),
      dialog('screen-1', `git push ${'x'.repeat(20_000)} gcs_${'a'.repeat(30)}\x1b[2J`),
    )
    await until(() => count(city, 'attention.raised') === 1)
    await city.sessions.messaging.answer('question:1', human, { answer: 'No' })
    await until(() => count(city, 'attention.cleared') === 1)
    const [item] = city.sessions.messaging.history(city.sessionRepository.live()[0]?.id ?? '').items
    expect(item).toMatchObject({
      state: 'answered',
      choice: 'No',
      answered_by: 'human',
      bead_id: bead,
      folder: town.path,
    })
    expect(item?.text).toStartWith('git push xxx')
    expect(item?.text).toContain('gcs_***')
    expect(item?.text).not.toContain('\x1b')
    const events = city.log.after(0, 1000).filter(({ type }) => type.startsWith('session.a'))
    expect(events).toMatchObject([
      { type: 'session.asked', payload: { bead_id: bead, folder: town.path } },
      { type: 'session.answered', actor: 'human', payload: { bead_id: bead, choice: 'No' } },
    ])
    expect(city.events.history(bead, {}).items.slice(0, 2)).toMatchObject([
      {
        type: 'attention.cleared',
        payload: { by: 'human', resolution: expect.stringContaining('answered with "No"') },
      },
      { type: 'attention.raised' },
    ])
  })
})

describe('an answer with words of a person', () => {
  const plan: Question = {
    ...dialog('screen-1', '1. git push'),
    options: [
      { id: '1', label: 'Yes', role: 'allow-once' },
      { id: '2', label: 'Tell it what to change', role: 'other', text: 'required' },
    ],
  }

  async function openPlan(town: ScriptedTown) {
    const city = await town.open()
    await sling(city, 'claude')
    await city.reconciler.settle()
    const key = keyOf(city, 'claude')
    town.host.ask(key, plan)
    await until(() => count(city, 'attention.raised') === 1)
    const session = city.sessionRepository.live()[0]
    if (!session) throw new Error('there is no session')
    return { city, key, session, head: city.log.head, messaging: city.sessions.messaging }
  }

  const waiting = (city: City) =>
    city.store.read((orm) => orm.select().from(sessionMessages).all()).map(({ body, state }) => [body, state])

  test('is typed into the dialog where the option takes them, and is in the transcript with who gave it', async () => {
    await using town = scriptedTown(agents('claude'))
    const { city, key, session, head, messaging } = await openPlan(town)
    expect(city.attention.list().items).toMatchObject([{ answers: ['1', '2'], texts: ['2'] }])
    const bare = messaging.answer('question:1', human, { answer: '2' })
    expect(await bare.catch(String)).toContain('wants words of yours')
    expect(city.log.head).toBe(head)
    expect(await messaging.answer('question:1', human, { answer: '2', text: 'Use blue\x1b[2J' })).toMatchObject({
      ...{ choice: 'Tell it what to change', choice_text: 'Use blue[2J', answered_by: 'human' },
    })
    expect(town.host.choices).toEqual([{ key, question: 'screen-1', option: '2', text: 'Use blue[2J' }])
    expect(waiting(city).filter(([body]) => body?.includes('Use blue'))).toEqual([])
    const events = city.log.after(head, 100).filter(({ type }) => !type.startsWith('attention.'))
    expect(events).toMatchObject([
      { type: 'session.answered', actor: 'human', payload: { choice_text: 'Use blue[2J' } },
    ])
    const { transcripts } = city.sessionServices
    const turns = await transcripts.get(session, {})
    if (turns.format === 'raw' || turns.format === 'structured') throw new Error('it is not a conversation')
    expect(turns.turns).toMatchObject([
      { role: 'system', text: expect.stringMatching(/1\. git push[\s\S]*by human at/) },
    ])
    const structured = await transcripts.get(session, { format: 'structured' })
    expect(structured).toMatchObject({
      structured_messages: expect.arrayContaining([
        expect.objectContaining({
          id: 'question:1',
          blocks: [
            {
              type: 'interaction',
              interaction: expect.objectContaining({ state: 'answered', action: 'Tell it what to change' }),
            },
          ],
        }),
      ]),
    })
  })

  test('is sent as a message after the answer where the option takes none, and not at all when the answer is not given', async () => {
    await using town = scriptedTown(PROTOCOL)
    const city = await town.open()
    await sling(city, 'protocol')
    await city.reconciler.settle()
    const key = keyOf(city, 'protocol')
    await town.host.report(key, { type: 'asked', request: 'r', tool: { title: 'git push' }, choices: CHOICES })
    await until(() => count(city, 'attention.raised') === 1)
    const { messaging } = city.sessions
    const { answer } = town.host
    town.host.answer = () => Promise.reject(new Error('the host is away'))
    const lost = messaging.answer('question:1', human, { answer: 'yes', text: 'and be quick' })
    expect(await lost.catch(String)).toContain('away')
    expect(waiting(city)).toContainEqual(['and be quick', 'failed'])
    town.host.answer = answer
    await messaging.answer('question:1', human, { answer: 'yes', text: 'and be kind' })
    await town.host.finishTurn(key)
    await until(() => town.host.prompts.some(({ text }) => text.includes('and be kind')))
    expect(town.host.prompts.filter(({ text }) => text.includes('and be quick'))).toEqual([])
  })
})

describe('an answer', () => {
  test('that a stop interrupted is finished once after the next start, and a question that stands is announced once', async () => {
    await using town = scriptedTown(`${agents('claude', 'codex', 'gemini')}${PROTOCOL}`)
    let { city } = await openAsking(town)
    const { choose } = town.host
    town.host.choose = async (key, question, option) => {
      await choose.call(town.host, key, question, option)
      throw new Error('gc is killed here')
    }
    const row = city.sessionServices.questions.open().find(({ request }) => request === 'screen-claude')
    const option = row?.question.options[0]
    if (!row || !option) throw new Error('claude does not ask')
    await city.store.write((tx) => void city.sessionServices.questions.begin(tx, row.id, option), {
      kind: 'human',
      name: 'human',
    })
    await town.host.choose(row.hostKey, row.request, option.id).catch(() => {})
    await city.close({ endSessions: false })
    town.host.choose = choose
    city = await town.open()
    await until(() => city.sessionServices.questions.get(row.id).endedAt !== null)
    expect(city.sessionServices.questions.get(row.id)).toMatchObject({ state: 'answered', actor: { name: 'human' } })
    expect(town.host.choices).toEqual([{ key: row.hostKey, question: 'screen-claude', option: '1' }])
    await until(() => count(city, 'attention.cleared') === 1)
    expect(count(city, 'session.asked')).toBe(NAMES.length)
    expect(count(city, 'attention.raised')).toBe(NAMES.length)
    expect(city.attention.list().items).toHaveLength(NAMES.length - 1)
  })
})

describe('equal questions', () => {
  const equal = async (town: ScriptedTown) => {
    const city = await town.open()
    await Promise.all(NAMES.slice(0, 3).map((name) => sling(city, name)))
    await city.reconciler.settle()
    for (const name of NAMES.slice(0, 3)) town.host.ask(keyOf(city, name), dialog(`screen-${name}`, 'npm test'))
    await until(() => count(city, 'attention.raised') === 3)
    const { items } = city.attention.list()
    return { city, items, same: items[0]?.same ?? '', ids: items.map(({ id }) => id) }
  }

  test('take one answer, each recorded for its session once, and what has changed is left and reported', async () => {
    await using town = scriptedTown(agents(...NAMES.slice(0, 3)))
    const { city, items, same, ids } = await equal(town)
    expect(new Set(items.map((item) => item.same))).toEqual(new Set([expect.stringMatching(/^[0-9a-f]{64}$/)]))
    town.host.ask(keyOf(city, 'codex'), dialog('screen-other', 'npm test; rm -rf /'))
    await until(() => count(city, 'session.asked') === 4)
    const { head } = city.log
    const named = [...ids, 'question:4', 'question:99', 'parked:mi-1']
    const { messaging } = city.sessions
    const answered = await messaging.answerGroup(human, { ids: named, same, answer: '1' })
    expect(answered).toMatchObject({
      ...{ answered: ['question:1', 'question:3'], choice: 'Yes' },
      left: [
        { id: 'question:2', reason: expect.stringContaining('question:2 ended without an answer') },
        { id: 'question:4', reason: 'it does not ask the same' },
        { id: 'question:99', reason: 'there is no question question:99' },
        { id: 'parked:mi-1', reason: 'it is not a question' },
      ],
    })
    const recorded = city.log.after(head, 100).filter(({ type }) => type === 'session.answered')
    expect(recorded.map(({ session_id, payload, actor }) => [session_id, Object(payload).choice, actor])).toEqual(
      [0, 2].map((at) => [items[at]?.session_id, 'Yes', 'human']),
    )
    expect(town.host.choices.map(({ question }) => question)).toEqual(['screen-claude', 'screen-gemini'])
    const again = await messaging.answerGroup(human, { ids, same, answer: '1' })
    expect([again.answered, again.left.length]).toEqual([[], 3])
    expect(town.host.choices).toHaveLength(2)
  })

  test('of a session that just restarted are over, and a wrong answer is given to none', async () => {
    await using town = scriptedTown(agents(...NAMES.slice(0, 3)))
    const { city, items, same, ids } = await equal(town)
    const { messaging } = city.sessions
    await expect(messaging.answerGroup(human, { ids, same, answer: '7' })).rejects.toThrow()
    expect(town.host.choices).toEqual([])
    await city.sessions.running.restart(items[0]?.session_id ?? '', human)
    await city.reconciler.settle()
    const { answered, left } = await messaging.answerGroup(human, { ids, same, answer: '1' })
    expect(answered).toEqual(['question:2', 'question:3'])
    expect(left).toMatchObject([{ id: 'question:1', reason: expect.stringContaining('ended without an answer') }])
  })
})

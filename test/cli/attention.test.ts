import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AttentionList } from '../../src/agents/attention/schema.ts'
import { AGENT } from '../host/acp/agent-host.ts'
import { shareTown, type Town } from './town.ts'

const DIALOG = join(import.meta.dir, '../host/terminal/programs/dialog.ts')

let town: Town
shareTown(async (opened) => {
  town = opened
  await Bun.write(
    town.at('town', 'city.toml'),
    `${await Bun.file(town.at('town', 'city.toml')).text()}
[[agent]]
name = "polly"
session = "acp"
start_command = "exec ${AGENT.join(' ')}"

[providers.guarded]
base = "builtin:claude"
command = "${process.execPath} ${DIALOG} --log ${town.at('answers')}"
path_check = "${process.execPath}"
[[agent]]
name = "guarded"
provider = "guarded"
`,
  )
  while (!(await town.gc(['agent', 'list'])).out.includes('polly')) await Bun.sleep(20)
})

/** Waiting items, once there are that many. */
async function waits(count: number): Promise<AttentionList> {
  const list = await town.json<AttentionList>(['attention'])
  return list.total === count ? list : waits(count)
}

describe('gc attention', () => {
  test('lists what needs attention, and answers a question', async () => {
    expect(await town.gc(['attention'])).toMatchObject({ status: 0, out: 'Nothing needs attention.\n' })
    const { id } = await town.json<{ id: string }>(['session', 'new', 'polly', '--message', 'ask it'])
    expect((await waits(1)).items).toMatchObject([{ kind: 'permission', session_id: id, asks: 'Allow make it?' }])
    const { out } = await town.gc(['attention'])
    expect(out).toContain('Allow make it?')
    expect(out).toContain('gc attention answer 1 approve|approve_always|deny')
    const wrong = await town.gc(['attention', 'answer', id, 'perhaps'])
    expect([wrong.status, wrong.err]).toEqual([1, expect.stringContaining('it can be answered with approve')])
    expect(await town.gc(['attention', 'answer', '1', 'yes'])).toMatchObject({
      status: 0,
      out: `Session ${id} was answered with "Yes".\n`,
    })
    const again = await town.gc(['attention', 'answer', '1', 'deny'])
    expect([again.status, again.err]).toEqual([
      1,
      expect.stringContaining('question:1 was answered with "Yes" by operator'),
    ])
    expect((await waits(0)).items).toEqual([])
    expect(town.reports).toEqual([])
  })

  test('numbers the options of a dialog, and answers with one of them', async () => {
    const { id } = await town.json<{ id: string }>(['session', 'new', 'guarded'])
    expect((await waits(1)).items).toMatchObject([{ kind: 'dialog', session_id: id, answers: ['1', '2', '3'] }])
    const { out } = await town.gc(['attention'])
    expect(out).toContain('It asks a person whether to trust its folder.')
    const options = ['1  Yes, I trust this folder', '2  Yes, and the folder above', '3  No, exit']
    expect(out).toContain(`\nQuestion 2 of ${id} in ${town.at('town')}:`)
    expect(out).toContain(options.join('\n    '))
    expect(out).toContain('gc attention answer 2 1|2|3')
    const wrong = await town.gc(['session', 'respond', id, '4'])
    expect([wrong.status, wrong.err]).toEqual([1, expect.stringContaining('it can be answered with 1, 2, 3')])
    expect(await town.gc(['session', 'respond', id, '2'])).toMatchObject({
      status: 0,
      out: `Session ${id} was answered: 2.\n`,
    })
    expect(readFileSync(town.at('answers'), 'utf8')).toBe('Yes, and the folder above\n')
    expect((await waits(0)).items).toEqual([])
    expect(town.reports).toEqual([])
  })

  test('--watch prints what comes and goes, a question whole, and with --json one line each', async () => {
    const stop = new AbortController()
    const json = new AbortController()
    const signalOf = ({ signal }: AbortController) => AbortSignal.any([signal, AbortSignal.timeout(10_000)])
    const { promise: isWhole, resolve: showWhole } = Promise.withResolvers<void>()
    const until = (controller: AbortController) => (out: string) => {
      if (out.includes('Question ')) showWhole()
      if (out.includes('was answered')) controller.abort()
    }
    const watching = town.gc(['attention', '--watch'], { signal: signalOf(stop), onOutput: until(stop) })
    const lines = town.gc(['attention', '--watch', '--json'], { signal: signalOf(json), onOutput: until(json) })
    const { id } = await town.json<{ id: string }>(['session', 'new', 'polly', '--message', 'ask it'])
    const [item] = (await waits(1)).items
    const number = item?.id.split(':')[1] ?? ''
    await isWhole
    await town.gc(['attention', 'answer', number, 'yes', '--text', 'and be quick'])
    const { out } = await watching
    expect(out).toContain('Allow make it?')
    expect(out).toContain(`Question ${number} of ${id} in `)
    expect(out).toMatch(new RegExp(`- question:${number}  question:${number} was answered with "Yes" by operator`))
    const types = (await lines).out.split('\n').flatMap((line) => /"type":"(attention\.\w+)"/.exec(line)?.[1] ?? [])
    expect(types).toEqual(['attention.raised', 'attention.cleared'])
  })

  test('shows the form of an agent with the lists of its fields, and fills it by numbers and words', async () => {
    const { id } = await town.json<{ id: string }>(['session', 'new', 'polly', '--message', 'form'])
    const [item] = (await waits(1)).items
    const number = item?.id.split(':')[1] ?? ''
    expect(item).toMatchObject({
      ...{ session_id: id, asks: 'Where shall it go?', answers: ['1', '2', '3', '4', '5', '6', '7'] },
      ...{ question_kind: 'choice', ticks: ['1', '2', '3', '4'], texts: ['1', '2', '4'] },
      lists: [
        { answer: '1', choices: ['staging', 'production'], several: false },
        { answer: '2', choices: ['Small', 'Large'], several: true },
      ],
    })
    const { out } = await town.gc(['attention'])
    expect(out).toContain('    1  [ ] Place (required)  (with --text "…")\n         one of 1 staging, 2 production\n')
    expect(out).toContain('    5  Accept\n    6  Decline\n    7  Cancel\n')
    const give = (answer: string, text: string) => town.gc(['attention', 'answer', number, answer, '--text', text])
    expect((await give('1', 'mars')).err).toContain('is not in the list of')
    expect((await give('1,4', 'staging\nmany')).err).toContain('"many" is not a number')
    expect((await town.gc(['attention', 'answer', number, '5'])).err).toContain('needs an answer as well')
    expect(await give('place (required),2', '2\nlarge, 1')).toMatchObject({
      ...{ status: 0, out: `Session ${id} was answered with "Place (required), Sizes".\n` },
    })
    const told = async () => (await town.gc(['session', 'logs', id])).out
    while (!(await told()).includes('"place":"production"')) await Bun.sleep(50)
    expect(await told()).toContain('"sizes":["s","l"],"sure":false,"count":2')
    expect((await waits(0)).items).toEqual([])
  })

  test('shows equal questions as one, and answers all of them with --equal', async () => {
    for (const _ of ['one', 'another']) await town.json(['session', 'new', 'polly', '--message', 'ask it'])
    const [item] = (await waits(2)).items
    const { out } = await town.gc(['attention'])
    expect(out).toMatch(/^2 sessions +polly +– .* make it · Allow make it\?/m)
    expect(out.match(/Question \d+ of/g)).toHaveLength(1)
    const number = item?.id.split(':')[1] ?? ''
    expect(out).toContain(`gc attention answer ${number} <answer> --equal answers all of them`)
    expect(await town.gc(['attention', 'answer', number, 'approve', '--equal'])).toMatchObject({
      ...{ status: 0, out: '2 of 2 were answered with "Yes".\n' },
    })
    expect((await waits(0)).items).toEqual([])
    expect((await town.gc(['attention', 'answer', number, 'approve', '--equal'])).err).toContain(
      'only a whole question',
    )
  })

  test('hides a kind until it is unmuted or for a while, and names the kinds that are hidden', async () => {
    const { id } = await town.json<{ id: string }>([
      'mail',
      'send',
      'human',
      '--from',
      'polly',
      '-s',
      'logs',
      '-m',
      'May I?',
    ])
    expect((await town.gc(['attention'])).out).toContain(`gc mail read ${id}`)
    expect((await town.gc(['attention', 'mute', 'mail'])).out).toBe(
      'mail is muted. gc attention unmute mail shows it again.\n',
    )
    const { out } = await town.gc(['attention'])
    expect(out).toContain('mail is muted until unmuted, by operator: gc attention unmute mail')
    expect(out).not.toContain(id)
    expect((await town.gc(['attention', 'snooze', 'mail', '2h'])).out).toMatch(
      /^mail is muted until \S.*\. gc attention/,
    )
    expect((await town.gc(['attention', 'kinds'])).out).toMatch(/mail +until .*, by operator +a message/)
    expect((await town.gc(['attention', 'unmute', 'mail'])).out).toBe('mail is shown again.\n')
    expect((await town.gc(['attention', 'mute', 'mial'])).err).toContain('mail')
    await town.gc(['mail', 'archive', id])
    expect((await waits(0)).items).toEqual([])
  })
})

describe('gc rule', () => {
  test('adds, lists, reviews and removes rules, and warns of what a rule for a command runs', async () => {
    const { out } = await town.gc([
      'rule',
      'add',
      '--allow',
      'make it',
      '--agent',
      'polly',
      '--unconfined',
      '--for',
      '30d',
    ])
    expect(out).toMatch(
      /^Rule r-[0-9a-f]{8} allows command make it for polly until .+\.\nIt runs code that the session can change/,
    )
    const { id } = await town.json<{ id: string }>(['session', 'new', 'polly', '--message', 'make it'])
    const uses = async () => (await town.json<{ items: { id: string; uses: number }[] }>(['rule', 'list'])).items[0]
    while ((await uses())?.uses !== 1) await Bun.sleep(20)
    const rule = (await uses())?.id ?? ''
    expect((await town.gc(['rule', 'list'])).out).toMatch(new RegExp(`${rule} +command make it for polly +all +1`))
    expect((await town.gc(['rule', 'review', rule, id])).out).toContain('You have seen all files that it depends on.')
    expect((await town.gc(['rule', 'suggest'])).out).toContain('Nothing was allowed ten times')
    expect((await town.gc(['rule', 'add', '--rig', 'shop'])).err).toContain('name one thing to allow')
    expect((await town.gc(['rule', 'remove', rule])).out).toBe(`Rule ${rule} is removed.\n`)
    expect((await waits(0)).items).toEqual([])
    expect(town.reports).toEqual([expect.stringContaining('a second session of polly works in')])
  })
})

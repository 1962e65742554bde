import type { Command } from 'commander'
import { attentionColumns } from '../../client/views/index.ts'
import type { AnswerList } from '../../src/agents/attention/index.ts'
import { type AttentionGroup, asksOf, groupEqual, lineOf, sessionsOf } from '../../src/client/attention.ts'
import type { CityClient } from '../../src/client/client.ts'
import { isRecord } from '../../src/client/json.ts'
import type { Output } from '../../src/client/operations.ts'
import { formatTime, sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, parseDurationOption, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { failure } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { listColumns } from '../io/shared-columns.ts'
import { printTable } from '../io/table.ts'
import { timers } from '../io/timers.ts'
import type { AddOptions } from '../rule/rule.ts'

/** Commands that list what needs attention, and answer it. */
export function attentionCommands(program: Command, context: CommandContext): void {
  const attention = program.command('attention').description('list what needs your attention, oldest first')
  withJson(attention)
    .option('-w, --watch', 'update on every change until ctrl-c')
    .addHelpText('after', '\nWith --watch and --json each change is one line of JSON after the list.')
    .action((options: JsonOption & { watch?: true }) => list(context, options))
  attention
    .command('answer')
    .description('answer a question of a session')
    .argument('<question>', 'number, host:… from the list, or session')
    .argument('<answer>', 'number or words of an option; 1,3 for several boxes')
    .option('--request <id>', 'question of the session; default is the oldest')
    .option('--equal', 'answer all sessions with the same question')
    .option('--text <text>', 'note: typed into the dialog, or sent afterwards')
    .action((question: string, words: string, options: AnswerOptions) => answer(context, question, words, options))
  kindCommands(attention, context)
}

/** Commands on the rules that answer questions. */
export function ruleCommands(program: Command, context: CommandContext): void {
  const rule = program.command('rule').description('manage rules that answer questions for you')
  const actions = () => import('../rule/rule.ts')
  withJson(rule.command('add').description('allow one kind of action from now on'))
    .option('--allow <command>', 'command line to allow, compared argument by argument')
    .option('--read <path>', 'file or folder to allow reads of')
    .option('--write <path>', 'file or folder to allow writes to')
    .option('--fetch <host>', 'host to allow fetches from')
    .option('--tool <server/tool>', 'tool of an MCP server to allow')
    .option('--question <question>', 'question to allow from now on, for its agent')
    .option('--rig <rig>', 'only for agents of this rig')
    .option('--agent <agent>', 'only for this agent')
    .option('--for <duration>', 'duration, such as 30d', parseDurationOption)
    .option('--unconfined', 'also apply to sessions without a sandbox')
    .addHelpText(
      'after',
      '\nA rule for a command runs code that its session can change. gc checks the files that the command names.',
    )
    .action(async (options: AddOptions) => (await actions()).addRule(context, options))
  withWatch(withJson(rule.command('list').description('list rules, and how often each answered'))).action(
    watched(context, async (shown, options: JsonOption) => (await actions()).listRules(shown, options)),
  )
  withJson(rule.command('remove').description('remove a rule'))
    .argument('<rule>')
    .action(async (id: string, options: JsonOption) => (await actions()).removeRule(context, id, options))
  withJson(rule.command('suggest').description('list what you allowed ten times in a row')).action(
    async (options: JsonOption) => (await actions()).suggestRules(context, options),
  )
  withJson(rule.command('review').description('show changed files that suspend a rule'))
    .argument('<rule>')
    .argument('<session>')
    .option('--accept <digest>', 'accept the files that were shown')
    .action(async (id: string, session: string, options: JsonOption & { accept?: string }) =>
      (await actions()).reviewRule(context, id, session, options),
    )
}

interface AnswerOptions {
  equal?: true
  request?: string
  text?: string
}

async function list(context: CommandContext, { json, watch }: JsonOption & { watch?: true }): Promise<void> {
  const { io } = context
  const city = await context.city()
  const { answer: listed, index } = await city.callIndexed('GET ~/attention')
  if (json) printJson(io, listed)
  else show(context, listed)
  for (const error of listed.partial_errors ?? []) io.err(`${sanitizeLine(error)}\n`)
  if (!watch) return
  for await (const frame of city.follow(
    'GET ~/events/stream',
    {},
    { signal: io.signal, timers, after: String(index) },
  )) {
    if (frame.event === 'gap') continue
    const { type, payload, ts } = frame.data
    if (type !== RAISED && type !== CLEARED) continue
    if (json) printJson(io, frame.data)
    else await showChange(context, city, type === RAISED, ts, isRecord(payload) ? payload : {})
  }
}

/** Shows a raised or cleared item on a line, and a new question in full. */
async function showChange(
  { io }: CommandContext,
  city: CityClient,
  isRaised: boolean,
  ts: string,
  { id, kind, asks, to_do, resolution }: Record<string, unknown>,
): Promise<void> {
  const now = Date.now()
  const asked = asksOf({ kind: String(kind), asks: String(asks) }, now)
  const sentence = sanitizeLine(isRaised ? asked : String(resolution ?? `gone: ${asked}`))
  const toDo = isRaised ? `  →  ${sanitizeLine(String(to_do))}` : ''
  printLine(io, `${formatTime(ts, now)} ${isRaised ? '+' : '-'} ${sanitizeLine(String(id))}  ${sentence}${toDo}`)
  if (!isRaised || !String(id).startsWith(QUESTION)) return
  const { items } = await city.call('GET ~/attention')
  const item = items.find((each) => each.id === id)
  if (item) showQuestion(io, { item, others: [] })
}

const RAISED = 'attention.raised'
const CLEARED = 'attention.cleared'
const QUESTION = 'question:'
const HOST = 'host:'

function show({ io }: CommandContext, { items, muted = [] }: Output<'GET ~/attention'>): void {
  const now = Date.now()
  const groups = groupEqual(items)
  printTable(
    io,
    groups,
    listColumns<AttentionGroup>(now, [
      { header: 'SESSION', value: (group) => sessionsOf(group) || (group.item.session_id ?? '–') },
      { header: 'AGENT', value: ({ item: { agent } }) => agent, minWidth: 8 },
      { header: 'BEAD', value: ({ item: { bead_id: bead } }) => bead ?? '–' },
      ...[attentionColumns.age, attentionColumns.kind],
      { header: 'ASKS', value: ({ item }) => cutLine(lineOf(item, now)), below: '' },
      { header: 'WHAT TO DO', value: ({ item: { to_do } }) => to_do, below: '→ ' },
    ]),
    'Nothing needs attention.',
  )
  for (const group of groups) if (group.item.id.startsWith(QUESTION)) showQuestion(io, group)
  for (const each of muted)
    printLine(io, `${each.kind} is muted ${mutedText(each, now)}: gc attention unmute ${each.kind}`)
}

/** A question whole: who asks over what, the command or text, and the answers in the program's words. */
function showQuestion(io: Io, { item, others }: AttentionGroup): void {
  const {
    id,
    session_id,
    bead_id,
    folder = '',
    asks,
    text = '',
    cut,
    answers,
    options = [],
    descriptions = [],
    texts = [],
    ticks = [],
    lists = [],
  } = item
  const work = bead_id === undefined ? '' : `, over bead ${bead_id}`
  printLine(io, `\nQuestion ${id.slice(QUESTION.length)} of ${session_id} in ${sanitizeLine(folder)}${work}:`)
  if (text !== '') printLine(io, indent(text))
  if (cut) printLine(io, `  (more of it is only in its terminal: gc session attach ${session_id})`)
  printLine(io, indent(asks))
  for (const [index, option] of options.entries()) {
    const name = answers[index] ?? ''
    const box = ticks.includes(name) ? '[ ] ' : ''
    printLine(io, `    ${name}  ${box}${sanitizeLines(option)}${texts.includes(name) ? '  (with --text "…")' : ''}`)
    if (descriptions[index]) printLine(io, `         ${sanitizeLines(descriptions[index])}`)
    for (const list of lists.filter((each) => each.answer === name)) printLine(io, `         ${choicesOf(list)}`)
  }
  if (others.length > 0) {
    const sessions = [item, ...others].map(({ session_id: id }) => id).join(', ')
    printLine(io, `    ${others.length + 1} sessions ask exactly this: ${sessions}`)
    printLine(io, `    gc attention answer ${id.slice(QUESTION.length)} <answer> --equal answers all of them`)
  }
  const [first, second] = ticks
  if (second !== undefined)
    printLine(io, `    Boxes are ticked together: gc attention answer ${id.slice(QUESTION.length)} ${first},${second}`)
}

/** Longest line of a list; what is longer is whole below it. */
const MAX_LINE = 300
const cutLine = (line: string): string => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line)

/** Possible values of an answer's text, in a line. */
const choicesOf = ({ choices, several }: AnswerList): string =>
  `${several ? 'any of' : 'one of'} ${choices.map((choice, index) => `${index + 1} ${sanitizeLine(choice)}`).join(', ')}`

const indent = (text: string): string => sanitizeLines(text).replace(/^/gm, '  ')

async function answer(
  context: CommandContext,
  question: string,
  words: string,
  { request, text, equal }: AnswerOptions,
): Promise<void> {
  const city = await context.city()
  const given = text === undefined ? {} : { text }
  const number = /^(?:question:)?(\d+)$/.exec(question)?.[1]
  const id = number === undefined ? hostIn(question) : `${QUESTION}${number}`
  if (equal) return answerEqual(context, city, id, { answer: words, ...given })
  if (id === undefined) {
    const body = { action: words, ...(request !== undefined && { request_id: request }), ...given }
    await city.call('POST ~/session/{id}/respond', { params: { id: question }, body })
    printLine(context.io, `Session ${question} was answered with ${words}.`)
    return
  }
  const answered = await city.call('POST ~/attention/{id}/answer', {
    params: { id },
    body: { answer: words, ...given },
  })
  printLine(context.io, `Session ${answered.session_id} was answered with "${sanitizeLine(answered.choice ?? '')}".`)
}

/** The name of a host that a session asks for, if that is what is named. */
const hostIn = (text: string): string | undefined => (text.startsWith(HOST) ? text : undefined)

/** Commands that list the kinds of items, and hide or show one. */
function kindCommands(attention: Command, context: CommandContext): void {
  withJson(attention.command('kinds').description('list the kinds of items, and which are muted')).action(
    (options: JsonOption) => listKinds(context, options),
  )
  withJson(attention.command('mute').description('hide a kind of items until you unmute it'))
    .argument('<attention-kind>')
    .action((kind: string, options: JsonOption) => mute(context, kind, undefined, options))
  withJson(attention.command('snooze').description('hide a kind of items for a while'))
    .argument('<attention-kind>')
    .argument('<duration>', 'duration, such as 2h or 1d', parseDurationOption)
    .action((kind: string, ms: number, options: JsonOption) => mute(context, kind, Date.now() + ms, options))
  withJson(attention.command('unmute').description('show a kind of items again'))
    .argument('<attention-kind>')
    .action((kind: string, options: JsonOption) => unmute(context, kind, options))
}

async function listKinds(context: CommandContext, { json }: JsonOption): Promise<void> {
  const listed = await (await context.city()).call('GET ~/attention-kinds')
  if (json) return printJson(context.io, listed)
  const now = Date.now()
  printTable(
    context.io,
    listed.items,
    [
      { header: 'KIND', value: ({ kind }) => kind },
      { header: 'MUTED', value: ({ muted }) => (muted ? mutedText(muted, now) : '–') },
      { header: 'MEANING', value: ({ meaning }) => meaning },
      { header: 'FIX', value: ({ fix }) => fix, below: '→ ' },
    ],
    'There are no kinds.',
  )
}

async function mute(context: CommandContext, kind: string, end: number | undefined, { json }: JsonOption) {
  const body = end === undefined ? {} : { until: new Date(end).toISOString() }
  const city = await context.city()
  const muted = await city.call('POST ~/attention-kind/{kind}/mute', { params: { kind }, body })
  if (json) return printJson(context.io, muted)
  const until = muted.until === undefined ? '' : ` until ${formatTime(muted.until, Date.now())}`
  printLine(
    context.io,
    `${sanitizeLine(kind)} is muted${until}. gc attention unmute ${sanitizeLine(kind)} shows it again.`,
  )
}

async function unmute(context: CommandContext, kind: string, { json }: JsonOption): Promise<void> {
  const city = await context.city()
  const shown = await city.call('POST ~/attention-kind/{kind}/unmute', { params: { kind } })
  if (json) return printJson(context.io, shown)
  printLine(context.io, `${sanitizeLine(kind)} is shown again.`)
}

/** Until when a kind is hidden, and by whom. */
const mutedText = ({ until, by }: { until?: string; by: string }, now: number): string =>
  `${until === undefined ? 'until unmuted' : `until ${formatTime(until, now)}`}, by ${sanitizeLine(by)}`

/** Gives one answer to a question and to all that are equal to it to the byte. */
async function answerEqual(
  { io }: CommandContext,
  city: CityClient,
  id: string | undefined,
  given: { answer: string; text?: string },
): Promise<void> {
  const { items } = await city.call('GET ~/attention')
  const read = items.find((item) => item.id === id)
  if (!read?.same)
    throw failure('only a whole question that waits can be answered with its equals; gc attention lists them')
  const { same } = read
  const ids = items.flatMap((item) => (item.same === same ? [item.id] : []))
  const { answered, left, choice = '' } = await city.call('POST ~/attention/answer', { body: { ids, same, ...given } })
  printLine(io, `${answered.length} of ${ids.length} were answered with "${sanitizeLine(choice)}".`)
  for (const each of left) io.err(`${sanitizeLine(each.id)} was left: ${sanitizeLine(each.reason)}\n`)
}

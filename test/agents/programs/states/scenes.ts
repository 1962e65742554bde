import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Transition } from '../../states/recording.ts'
import type { StartOptions } from '../asked-program.ts'
import { CASES } from '../cases/all.ts'
import { type AskedCase, code } from '../cases/case.ts'
import type { ProviderError, Reply, Script } from '../model-server.ts'
import type { Program } from '../programs.ts'
import { Stage } from './stage.ts'

/** A program with what its scenes need to know. */
export interface Actor {
  program: Program
  /** Started so that it asks before it runs anything. */
  asking: StartOptions
  /** Started so that it asks nothing. */
  free: StartOptions
  /** Cases that it asks one after the other in a session. */
  asks: readonly string[]
  /** Questions that a person denies. */
  denies: readonly string[]
  /** Keys with which a person leaves it. */
  quit: readonly string[]
  /** An error after which its turn is over. */
  refusal: ProviderError
  /** An error after which it tries again automatically. */
  overload: ProviderError
  /** A usage limit, with what else it needs for it. */
  limit: { reply: () => ProviderError; start: StartOptions }
}

/** One session of a program, recorded. */
export interface Scene {
  name: string
  start: StartOptions
  play(stage: Stage): Promise<void>
}

/** End of a program's screen, for its model to imitate. */
interface Seen {
  dialog: string
  work: string
}

const PROMPT = 'Make it'
/** After a denial a program may tell its model. */
const TELLS_MS = 4_000
/** A busy machine may let a program wait with its first screen. */
const FIRST_SCREEN_MS = 60_000
const SLOW_SECONDS = 6
/** The words of all programs about their limits, logins and input lines. */
const LIMITS = [
  '■ You’ve hit your usage limit. Try again at 8:42 AM.',
  '⚠ Usage limit reached · limit resets 8:40am',
  '  Continuing automatically at 8:40am · Esc to cancel',
  'Usage limit reached for all Pro models.',
  'Access resets at 8:40 AM GMT.',
  '1. Keep trying',
  '2. Stop',
  'Sign in with ChatGPT',
  'Select login method:',
  'How would you like to authenticate for this project?',
  'Connect a provider',
  'Rate limit reached for requests [retrying in 1h 59m attempt #1]',
  '  tab agents  ctrl+p commands · Type your message or @path/to/file',
].join('\n')

/** Result of a program's scenes. */
export interface Played {
  transitions: Transition[]
  failures: string[]
}

type Report = (line: string) => void

/** Plays the wanted scenes: the days, of which the second shows what was seen in the first, beside all others. */
export async function play(actor: Actor, wanted: (scene: string) => boolean, report: Report): Promise<Played> {
  const seen: Seen = { dialog: '', work: '' }
  const days = daysOf(actor, seen)
  const lanes = [days.some(({ name }) => wanted(name)) ? days : [], othersOf(actor).filter(({ name }) => wanted(name))]
  const played = await Promise.all(lanes.map((scenes) => playAll(actor, scenes, report)))
  return {
    transitions: played.flatMap(({ transitions }) => transitions),
    failures: played.flatMap(({ failures }) => failures),
  }
}

async function playAll(actor: Actor, scenes: readonly Scene[], report: Report): Promise<Played> {
  const played: Played = { transitions: [], failures: [] }
  for (const scene of scenes) {
    const stage = await Stage.open(actor.program, scene.name, scene.start)
    const begun = performance.now()
    const failure = await scene.play(stage).then(() => undefined, String)
    await stage.end()
    if (failure) played.failures.push(failure)
    played.transitions.push(...stage.transitions)
    report(`${scene.name}: ${stage.transitions.length} in ${Math.round((performance.now() - begun) / 1000)} s`)
  }
  return played
}

const casesOf = ({ program }: Actor): AskedCase[] =>
  CASES.filter((asked) => asked.program.provider === program.provider)

const daysOf = (actor: Actor, seen: Seen): Scene[] => [
  { name: 'a day', start: { ...actor.asking, prepare: code }, play: (stage) => day(actor, stage, seen) },
  { name: 'a free day', start: { ...actor.free, prompt: PROMPT }, play: (stage) => freeDay(actor, stage, seen) },
]

function othersOf(actor: Actor): Scene[] {
  const { asking, limit, asks } = actor
  const apart = casesOf(actor).filter(({ name }) => !asks.includes(name))
  const start = { ...asking, ...limit.start, env: { ...asking.env, ...limit.start.env } }
  return [
    { name: 'a bad day', start: asking, play: (stage) => badDay(actor, stage) },
    { name: 'a limit', start, play: (stage) => limited(actor, stage) },
    ...apart.map((asked) => ({ name: asked.name, start: asked.start, play: (stage: Stage) => question(asked, stage) })),
  ]
}

/** From the first output to leaving: it asks about one thing after the other. */
async function day(actor: Actor, stage: Stage, seen: Seen): Promise<void> {
  await stage.quiet(FIRST_SCREEN_MS, 3_000)
  stage.blank()
  await stage.rests('its first screen', 'idle')
  const cases = actor.asks.map((name) => casesOf(actor).find((each) => each.name === name))
  for (const asked of cases) if (asked) await ask(actor, stage, asked, seen)
  const [first] = cases
  if (first) await ask(actor, stage, imitated(first, seen.dialog), seen)
  await interrupted(stage)
  await leave(actor, stage)
}

/** The case, asked after words that look like the dialog. */
const imitated = (asked: AskedCase, dialog: string): AskedCase => {
  const script: Script = (request, body) => {
    const reply = asked.start.script?.(request, body) ?? { text: 'Done.' }
    return 'tool' in reply ? { ...reply, says: fenced(`${dialog}\n${LIMITS}`) } : reply
  }
  return { ...asked, name: `${asked.name}, after words that look like it`, start: { ...asked.start, script } }
}

/** It asks about one thing, is answered, and is done. */
async function ask({ denies }: Actor, stage: Stage, { name, kind, start }: AskedCase, seen: Seen): Promise<void> {
  code(stage.started)
  start.prepare?.(stage.started)
  stage.hold()
  await stage.say(PROMPT)
  await stage.working(`${name}: a prompt`)
  seen.work ||= await endOf(stage)
  stage.plays(start.script ?? stage.answer)
  stage.release()
  await stage.rests(`${name}: asked`, 'person', kind)
  seen.dialog ||= await endOf(stage)
  stage.hold()
  const isDenied = denies.includes(name)
  await stage.press(isDenied ? '\x1b' : '\r')
  if (await stage.asks(isDenied ? TELLS_MS : undefined)) {
    await stage.working(`${name}: answered`)
    stage.plays(() => ({ text: `That was ${name}.` }))
    stage.release()
  } else if (!isDenied) {
    stage.drop()
    throw new Error(`a day: ${name}: the answer did nothing:\n${await stage.started.screen()}`)
  }
  await stage.rests(`${name}: over`, 'idle')
}

async function interrupted(stage: Stage): Promise<void> {
  stage.hold()
  await stage.say(PROMPT)
  await stage.working('a prompt to interrupt')
  for (const keys of stage.started.profile.interrupt) {
    await stage.press(keys)
    await Bun.sleep(300)
  }
  await stage.rests('interrupted', 'idle')
  stage.release()
}

async function leave({ quit }: Actor, stage: Stage): Promise<void> {
  for (const keys of quit) {
    await stage.press(keys)
    await Bun.sleep(700)
  }
  await stage.ended('left', 'done')
}

/** The lower part of a screen. */
async function endOf({ started }: Stage): Promise<string> {
  const rows = (await started.screen()).trimEnd().split('\n')
  return rows.slice(-18).join('\n')
}

const fenced = (text: string) => `This is what it would ask:\n\n\`\`\`\n${text}\n\`\`\`\n`

/** It asks nothing; what it says and runs looks like its dialog. */
async function freeDay({ program }: Actor, stage: Stage, { dialog, work }: Seen): Promise<void> {
  writeFileSync(join(stage.started.work, 'dialog.txt'), `${dialog}\n`)
  const shell = (command: string): Reply => program.shell(command)
  stage.hold()
  await stage.working('its first prompt')
  stage.replies({ text: fenced(dialog) })
  await stage.rests('says what looks like its dialog', 'idle')
  await stage.say('Go on')
  await stage.working('a prompt after what looks like its dialog')
  stage.replies(shell('cat dialog.txt'))
  await stage.working('a command printed what looks like its dialog')
  stage.replies(shell(`cat dialog.txt; sleep ${SLOW_SECONDS}`))
  await Bun.sleep(2_500)
  await stage.mark('a slow command prints what looks like its dialog', 'working')
  await stage.asked()
  stage.replies({ ...shell(`sleep ${SLOW_SECONDS}`), says: fenced(dialog) })
  await Bun.sleep(2_500)
  await stage.mark('a slow command after words that look like its dialog', 'working')
  await stage.working('what looks like its dialog, and a model that lets it wait')
  stage.replies({ text: dialog })
  await stage.rests('says what looks like its dialog, as it stands', 'idle')
  for (const [what, text] of [
    ['its work', work],
    ['its limits and logins', LIMITS],
  ] as const) {
    await stage.say('Go on')
    await stage.asked()
    stage.replies({ text: fenced(text) })
    await stage.rests(`says what looks like ${what}`, 'idle')
  }
  await stage.press('half a prompt')
  await stage.rests('a prompt that was begun below what looks like its dialog', 'idle')
  await kill(stage)
}

async function kill(stage: Stage): Promise<void> {
  const pid = (await stage.started.host.list())[0]?.pid
  if (pid !== undefined) process.kill(pid, 'SIGKILL')
  await stage.ended('killed', 'failed')
}

/** Its provider fails. */
async function badDay({ refusal, overload }: Actor, stage: Stage): Promise<void> {
  await stage.quiet(FIRST_SCREEN_MS, 3_000)
  stage.hold()
  await stage.say(PROMPT)
  await stage.asked()
  stage.plays(() => refusal)
  stage.release()
  await stage.rests('a request that is refused', 'idle')
  stage.hold()
  await stage.say(PROMPT)
  await stage.asked()
  stage.plays(() => overload)
  stage.release()
  await Bun.sleep(2_500)
  await stage.mark('an overloaded provider', 'working')
  await kill(stage)
}

async function limited({ limit }: Actor, stage: Stage): Promise<void> {
  await stage.quiet(FIRST_SCREEN_MS, 3_000)
  stage.hold()
  await stage.say(PROMPT)
  await stage.working('a prompt')
  stage.plays(limit.reply)
  stage.release()
  await stage.rests('a usage limit', 'limit')
}

/** Asked in a session of its own. */
async function question(asked: AskedCase, stage: Stage): Promise<void> {
  if (asked.start.script) await stage.asked()
  else await stage.quiet(FIRST_SCREEN_MS, 3_000)
  await asked.typed?.(stage.started)
  stage.blank()
  await stage.rests('asked', asked.kind === 'usage-limit' ? 'limit' : 'person', asked.kind)
}

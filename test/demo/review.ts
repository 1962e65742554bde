import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDefaultMode } from '../../src/config/confinement/default-mode.ts'
import { ModelServer, type Script } from '../agents/programs/model-server.ts'
import { claude } from '../agents/programs/programs.ts'
import { gc, home, perform, runChecked, say, serve } from './stage.ts'

/**
 * A real agent program works on a branch, and a person reviews it: they ask for changes twice, get each as a round of its own,
 * and approve the third. Prints how many turns the program got for each request, and how long each took.
 */

const LIMIT_MS = 300_000
const GC = join(import.meta.dir, '../../dist/gc')
const REVIEW = /\(Review ([0-9a-f]{16})\)/
/** Texts of the program: first, and after the first and second request for changes. */
const TEXTS = ['echo hello', 'echo "hello, $1"', 'echo "hello, $*"']

interface Listed {
  readonly id: string
  readonly state: string
  readonly round: number
}

await perform(review)

async function review(): Promise<void> {
  const model = new ModelServer(worker)
  try {
    writeDefaultMode(join(home, '.gc'), 'off')
    await serve()
    await gc('init', join(home, 'town'))
    await makeRig()
    await declare(model)
    await gc('sling', 'shop/worker', 'Write greet.sh, which greets')
    const { id } = await ready(1)
    await gc('review', '--city', 'town')
    await gc('review', 'show', id, '--city', 'town')
    const seconds = [
      await ask(id, 2, 'Greet the name that is given.'),
      await ask(id, 3, 'Greet all names that are given.'),
    ]
    await gc('review', 'diff', id, '--since', '1', '--city', 'town')
    await gc('review', 'approve', id, '--city', 'town')
    await gc('review', 'show', id, '--city', 'town')
    report(model, seconds)
  } finally {
    await model.stop()
  }
}

/** Comments on the one line of the script and asks for that; returns how long it took until the next round was ready. */
async function ask(id: string, round: number, text: string): Promise<number> {
  await gc('review', 'diff', id, ...(round > 2 ? ['--since-last'] : []), '--city', 'town')
  await gc('review', 'comment', id, 'greet.sh:1', '--text', text, '--city', 'town')
  const start = performance.now()
  await gc('review', 'ask', id, '--text', 'One thing.', '--city', 'town')
  await ready(round)
  return (performance.now() - start) / 1000
}

/** The one change, once this round of it is ready. */
async function ready(round: number): Promise<Listed> {
  for (const start = performance.now(); performance.now() - start < LIMIT_MS; await Bun.sleep(300)) {
    const { items }: { items: Listed[] } = JSON.parse(await quietly('review', 'list', '--json'))
    const found = items.find((item) => item.state === 'ready' && item.round === round)
    if (found) return found
  }
  throw new Error(`round ${round} was not ready within ${LIMIT_MS / 1000} s`)
}

function quietly(...args: string[]): Promise<string> {
  return runChecked(GC, ['--city', 'town', ...args], home)
}

/** The model: claims, writes, commits and closes; a review it answers with another commit and a reply. */
function worker({ tools, user, results }: Parameters<Script>[0]): ReturnType<Script> {
  if (!tools.includes('Bash')) return { text: 'There is no shell.' }
  const reviews = user.filter((text) => REVIEW.test(text)).length
  const write = `printf '%s\\n' '${TEXTS[reviews]}' > greet.sh && git add greet.sh && git commit -q -m 'Greet, ${reviews + 1}'`
  const turn = user.at(-1) ?? ''
  if (REVIEW.test(turn)) {
    const [, change] = /your change (ch-[a-z2-7]{12})/.exec(turn) ?? []
    const [, comment] = /^Comment (\d+):/m.exec(turn) ?? []
    if (results.length > 0) return { text: 'It is changed.' }
    return claude.shell(`${write} && gc review reply ${change} ${comment} --text 'It does now.'`)
  }
  const last = results.at(-1)
  const claimed = results.flatMap((each) => /"bead_id":\s*"([\w-]+)"/.exec(each)?.[1] ?? []).at(-1)
  if (last === undefined) return claude.shell('gc hook --claim --json')
  if (/"bead_id":/.test(last)) return claude.shell(`${write} && bd close ${claimed} --reason written`)
  return { text: 'Nothing is left to do.' }
}

async function makeRig(): Promise<void> {
  const path = join(home, 'shop')
  mkdirSync(path)
  writeFileSync(join(path, 'README'), 'A shop.\n')
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '.'],
    ['commit', '--quiet', '--message=Begin'],
  ]) {
    await runChecked('git', args, path)
  }
  await gc('rig', 'add', path)
}

async function declare(model: ModelServer): Promise<void> {
  const folder = { path: home, at: (...names: string[]) => join(home, ...names) }
  const works = [join(home, 'town'), join(home, 'shop')]
  const variables = Object.entries(claude.env(folder, model, works))
  const env = variables.map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join('\n')
  appendFileSync(
    join(home, 'town', 'city.toml'),
    `\n[providers.claude]\nbase = "builtin:claude"\ncommand = ${JSON.stringify(claude.command)}\n[providers.claude.env]\n${env}\n`,
  )
  await gc('reload', '--city', 'town')
  await gc('agent', 'add', 'shop/worker', '--provider', 'claude', '--worktree')
}

/** The program got each request once: its last conversation has one user message for each. */
function report(model: ModelServer, seconds: readonly number[]): void {
  const users = model.conversations
    .map(({ user }) => user)
    .reduce((most, user) => (user.length > most.length ? user : most), [])
  const marks = users.flatMap((text) => REVIEW.exec(text)?.[1] ?? [])
  const all = new Set(model.conversations.flatMap(({ user }) => user.flatMap((text) => REVIEW.exec(text)?.[1] ?? [])))
  for (const [at, mark] of [...all].entries()) {
    const turns = marks.filter((each) => each === mark).length
    say('review', `request ${at + 1}: ${turns} turn, ready again after ${seconds[at]?.toFixed(1)} s`)
  }
  if (all.size !== 2 || marks.length !== 2) throw new Error(`2 requests became ${marks.length} turns`)
}

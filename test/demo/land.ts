import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDefaultMode } from '../../src/config/confinement/default-mode.ts'
import { ModelServer, type Script } from '../agents/programs/model-server.ts'
import { claude } from '../agents/programs/programs.ts'
import { gc, home, perform, runChecked, say, serve } from './stage.ts'

/**
 * Three agents in real terminals finish branches, and all of them land: one after a person asked for changes and main changed
 * its line, one without a hitch, and one that failed the check before a person looked. The agents answer the letters of the
 * queue with the commands that these name. Prints each step, and the seconds that a person spent.
 */

const LIMIT_MS = 300_000
const GC = join(import.meta.dir, '../../dist/gc')
const REMOTE = join(home, 'shop.git')
const REVIEW = /\(Review ([0-9a-f]{16})\)/
const LETTER = /\(Landing ([0-9a-f]{16})\)/
const CHECK = `for file in *.txt; do grep -q '[.!]$' "$file" || { echo "$file does not end with a full stop"; exit 1; }; done\n`

/** Task of an agent, with its output: first, and after each result. */
interface Task {
  readonly title: string
  readonly file: string
  readonly texts: readonly string[]
}

const TASKS: Readonly<Record<string, Task>> = {
  ann: {
    ...{ title: 'Greet in a warm way', file: 'greeting.txt' },
    texts: ['Hello, dear.', 'Hello, dear reader.', 'Hi, dear reader.'],
  },
  bob: { title: 'Greet in a short way', file: 'greeting.txt', texts: ['Hi.'] },
  cid: { title: 'Say farewell', file: 'farewell.txt', texts: ['Bye', 'Bye.'] },
}

interface Change {
  readonly id: string
  readonly agent: string
  readonly session: string
  readonly state: string
  readonly head: string
  readonly checks?: 'green' | 'red'
}

let spent = 0
let decisions = 0
const letters = new Set<string>()
/** Changes that the person looked at. */
const seen = new Set<string>()

await perform(land)

async function land(): Promise<void> {
  const model = new ModelServer(worker)
  try {
    writeDefaultMode(join(home, '.gc'), 'off')
    await serve()
    await gc('init', join(home, 'town'))
    await makeRig()
    await declare(model)
    for (const [name, { title }] of Object.entries(TASKS)) await gc('sling', `shop/${name}`, title)
    await work()
    await gc('review', 'list', '--state', 'all', '--city', 'town')
    await gc('land', 'status', 'shop', '--city', 'town')
    report(await runChecked('git', ['-C', REMOTE, 'log', '--format=%an: %s', 'main'], home))
  } finally {
    await model.stop()
  }
}

/** The person looks at what is ready until everything has landed. */
async function work(): Promise<void> {
  const start = performance.now()
  const decided = new Set<string>()
  for (; performance.now() - start < LIMIT_MS; await Bun.sleep(300)) {
    const { items }: { items: Change[] } = JSON.parse(await quietly('review', 'list', '--state', 'all', '--json'))
    // A person looks at what has passed the check; what fails goes back without them.
    for (const change of items.filter(({ state, checks }) => state === 'ready' && checks === 'green')) {
      // Ann and Bob change the same line: the person decides on both once both are there.
      if (items.length < Object.keys(TASKS).length || decided.has(`${change.id} ${change.head}`)) continue
      decided.add(`${change.id} ${change.head}`)
      await spend(() => decide(change))
    }
    const landed = await runChecked('git', ['-C', REMOTE, 'log', '--format=%s', 'main'], home)
    // The target has a commit a moment before the queue sees it there.
    const { queue, waiting } = JSON.parse(await quietly('land', 'status', 'shop', '--json'))
    const isOver = queue.length + waiting.length === 0
    if (isOver && landed.trim().split('\n').length === 1 + Object.keys(TASKS).length) return
  }
  throw new Error(`not everything landed within ${LIMIT_MS / 1000} s: ${await quietly('land', 'status', 'shop')}`)
}

/** The first round of Ann is not what the person wants. */
async function decide({ id, agent }: Change): Promise<void> {
  await gc('review', 'show', id, '--city', 'town')
  await gc('review', 'diff', id, ...(seen.has(id) ? ['--since-last'] : []), '--city', 'town')
  const isFirst = !seen.has(id)
  seen.add(id)
  if (agent !== 'shop/ann' || !isFirst) return void (await gc('review', 'approve', id, '--city', 'town'))
  await gc('review', 'comment', id, 'greeting.txt:1', '--text', 'Name the reader.', '--city', 'town')
  await gc('review', 'ask', id, '--text', 'One thing.', '--city', 'town')
}

async function spend(work: () => Promise<unknown>): Promise<void> {
  const start = performance.now()
  await work()
  spent += performance.now() - start
  decisions++
}

function quietly(...args: string[]): Promise<string> {
  return runChecked(GC, ['--city', 'town', ...args], home)
}

/** The model: claims, writes, commits and closes; and does what comes back to it. */
function worker({ tools, user, results }: Parameters<Script>[0], body: string): ReturnType<Script> {
  if (!tools.includes('Bash')) return { text: 'There is no shell.' }
  const [, name = ''] = /\] shop\/(\w+) •/.exec(body) ?? []
  const { file = '', texts = [] } = TASKS[name] ?? {}
  const back = user.filter((text) => REVIEW.test(text) || LETTER.test(text)).length
  const write = `printf '%s\\n' '${texts[back]}' > ${file}`
  const commit = `git add ${file} && git commit -q -m '${texts[back]}'`
  const turn = user.at(-1) ?? ''
  const last = results.at(-1)
  if (LETTER.test(turn))
    return last === undefined ? claude.shell(answerLetter(turn, write, commit)) : { text: 'It is resolved.' }
  if (REVIEW.test(turn)) {
    const [, change] = /your change (ch-[a-z2-7]{12})/.exec(turn) ?? []
    const [, comment] = /^Comment (\d+):/m.exec(turn) ?? []
    if (last !== undefined) return { text: 'It is changed.' }
    return claude.shell(`${write} && ${commit} && gc review reply ${change} ${comment} --text 'It does now.'`)
  }
  const claimed = results.flatMap((each) => /"bead_id":\s*"([\w-]+)"/.exec(each)?.[1] ?? []).at(-1)
  if (last === undefined) return claude.shell('gc hook --claim --json')
  if (/"bead_id":/.test(last)) return claude.shell(`${write} && ${commit} && bd close ${claimed} --reason written`)
  return { text: 'Nothing is left to do.' }
}

/** The commands of a letter, with what the agent writes where it is to resolve. */
function answerLetter(letter: string, write: string, commit: string): string {
  const [, mark = ''] = LETTER.exec(letter) ?? []
  const isConflict = / conflicts with /.test(letter)
  if (!letters.has(mark)) say('letter', isConflict ? 'a conflict goes to its owner' : 'a red check goes to its owner')
  letters.add(mark)
  const commands = [...letter.matchAll(/^ {4}((?:git|GIT_EDITOR|gc|sh) .*|GIT_EDITOR=.*)$/gm)].map(
    ([, line = '']) => line,
  )
  const merge = commands.find((line) => line.includes('git merge'))
  const submit = commands.find((line) => line.startsWith('gc land submit')) ?? 'gc land submit'
  const steps = isConflict
    ? [`${merge} || true`, write, 'git add -A', 'GIT_EDITOR=true git commit -q --no-edit', 'sh check.sh', submit]
    : ['sh check.sh || true', write, commit, 'sh check.sh', submit]
  return steps.join('\n')
}

async function makeRig(): Promise<void> {
  const path = join(home, 'shop')
  mkdirSync(path)
  writeFileSync(join(path, 'greeting.txt'), 'Hello.\n')
  writeFileSync(join(path, 'check.sh'), CHECK)
  for (const args of [
    ['init', '--quiet', '--bare', '--initial-branch=main', REMOTE],
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '.'],
    ['commit', '--quiet', '--message=Begin'],
    ['remote', 'add', 'origin', REMOTE],
    ['push', '--quiet', 'origin', 'main'],
  ]) {
    await runChecked('git', args, path)
  }
  await gc('rig', 'add', path)
  await gc('rig', 'land', 'shop', '--mode', 'push', '--check', 'sh check.sh', '--city', 'town')
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
  for (const name of Object.keys(TASKS)) {
    await gc('agent', 'add', `shop/${name}`, '--provider', 'claude', '--worktree')
  }
}

function report(log: string): void {
  say('main', log)
  say(
    'person',
    `${decisions} decisions in ${(spent / 1000).toFixed(1)} s for ${Object.keys(TASKS).length} landed changes`,
  )
  say('letters', String(letters.size))
  if (letters.size !== 2) throw new Error(`one conflict and one red check became ${letters.size} letters`)
}

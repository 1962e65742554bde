import { expect, test } from 'bun:test'
import { CommandContext } from '../../cli/context/context.ts'
import { createProgram } from '../../cli/program.ts'
import { waitForSession } from '../../cli/session/wait-for-session.ts'
import type { SessionResponse } from '../../src/work/schema.ts'
import { allCommands } from './command-tree.ts'
import { recorder } from './shell.ts'
import { shareTown, type Town } from './town.ts'

let town: Town

shareTown(async (opened) => {
  town = opened
  await town.gc(['agent', 'add', 'mayor', '--command', 'cat'])
  for (const title of ['Paint', 'Varnish']) await town.bead(title, '--rig', 'shop')
})

test('a session for which a command has waited its time is reported with what it waits for', async () => {
  await town.json(['agent', 'add', 'late', '--command', 'sleep 600', '--suspended'])
  const { io } = recorder({ env: town.env, cwd: town.city })
  const context = new CommandContext(io, await createProgram(io))
  const city = await context.city()
  const accepted = await city.call('POST ~/sessions', { body: { name: 'late', kind: 'agent' } })
  const waited = await waitForSession(context, city, accepted, 700).catch((error: unknown) => error)
  const [said, session = ''] =
    /^Exit: session \S+ still waits after 0\.7 s: agent late is suspended; gc agent resume late; `gc session close (\S+)` takes the request back$/.exec(
      String(waited),
    ) ?? []
  expect(said).toBeDefined()
  expect(await town.gc(['session', 'close', session])).toMatchObject({ status: 0, err: '' })
  const gone = city.call('GET ~/sessions/request/{id}', { params: { id: accepted.request_id } })
  expect(await gone.catch(({ code }) => code)).toBe('request-not-found')
  const { items } = await town.json<{ items: SessionResponse[] }>(['session', 'list', '--template', 'late'])
  expect(items).toEqual([])
})

test.each([
  { list: ['status'], change: ['bead', 'create', 'Sweep'], shows: /3 ready, 0 in progress/ },
  { list: ['agent', 'list'], change: ['agent', 'add', 'painter', '--command', 'cat'], shows: /painter/ },
  { list: ['status'], change: ['agent', 'suspend', 'mayor'], shows: /1 suspended/ },
  { list: ['agent', 'list'], change: ['agent', 'resume', 'mayor'], shows: /mayor +stopped/ },
  {
    list: ['session', 'list'],
    change: ['session', 'new', 'mayor', '--title', 'Door', '--alias', 'porter'],
    shows: /mayor .*Door/,
  },
  { list: ['service', 'list'], change: ['service', 'list'], shows: /no services/ },
  { list: ['order', 'list'], change: ['order', 'list'], shows: /no orders/ },
  { list: ['session', 'show', 'porter'], change: ['session', 'rename', 'porter', 'Gate'], shows: /title +Gate/ },
  { list: ['agent', 'show', 'mayor'], change: ['agent', 'suspend', 'mayor'], shows: /state +suspended/ },
  { list: ['rig', 'list'], change: ['rig', 'suspend', 'shop'], shows: /suspended/ },
  { list: ['bead', 'ready'], change: ['bead', 'create', 'Oil the hinge'], shows: /Oil the hinge/ },
  { list: ['ready'], change: ['bead', 'create', 'Wax the floor'], shows: /Wax the floor/ },
  { list: ['bead', 'show', 'sh-1'], change: ['bead', 'update', 'sh-1', '--title', 'Swept'], shows: /title +Swept/ },
  { list: ['bead', 'comments', 'sh-1'], change: ['bead', 'comment', 'sh-1', 'Well done'], shows: /Well done/ },
  { list: ['bead', 'history', 'sh-1'], change: ['bead', 'close', 'sh-1'], shows: /bead.closed/ },
  { list: ['graph', 'sh-1'], change: ['bead', 'update', 'sh-1', '--title', 'Dried'], shows: /Dried/ },
  { list: ['bead', 'dep', 'list', 'sh-1'], change: ['bead', 'dep', 'add', 'sh-1', 'sh-2'], shows: /sh-2/ },
  { list: ['rig', 'show', 'shop'], change: ['rig', 'resume', 'shop'], shows: /working/ },
  { list: ['rig', 'status', 'shop'], change: ['rig', 'suspend', 'shop'], shows: /suspended/ },
  { list: ['mail', 'count', 'human'], change: ['mail', 'send', 'human', 'Hello'], shows: /1 for human/ },
  { list: ['mail', 'inbox', 'human', '--unread'], change: ['mail', 'send', 'human', '-s', 'Comes'], shows: /Comes/ },
  { list: ['mail', 'list'], change: ['mail', 'send', 'human', '-s', 'Follows'], shows: /Follows/ },
  { list: ['convoy', 'list', '--all'], change: ['convoy', 'create', 'Appears'], shows: /Appears/ },
  { list: ['bead', 'list'], change: ['bead', 'create', 'Lime the wall'], shows: /Lime the wall/ },
  { list: ['usage'], change: ['usage'], shows: /PERIOD.*last 24 hours/s },
  {
    list: ['budget', 'list'],
    change: ['budget', 'set', '3usd', '--per', 'hour'],
    shows: /There are no budgets.*\$3\.00/s,
  },
  { list: ['cities'], change: ['init', 'mill'], shows: /mill +running/ },
])('$list --watch shows what changes, until it is interrupted', async ({ list, change, shows }) => {
  await watch(list, change, shows)
})

/** Watches, runs a change once something was printed, and ends the watch when that shows; what was printed. */
async function watch(list: readonly string[], change: readonly string[], shows: RegExp): Promise<string> {
  const end = new AbortController()
  const begun = Promise.withResolvers<void>()
  const onOutput = (out: string) => {
    begun.resolve()
    if (shows.test(out)) end.abort()
  }
  const signal = AbortSignal.any([end.signal, AbortSignal.timeout(15_000)])
  const watching = town.gc([...list, '--watch'], { signal, onOutput })
  await begun.promise
  await town.gc(change)
  const { status, out } = await watching
  expect(out).toMatch(shows)
  expect(status).toBe(0)
  return out
}

test.each([
  { list: ['bead', 'ready'], key: 'items', change: ['bead', 'create', 'Waits'], shows: /"items".*Waits/s },
  { list: ['usage'], key: 'today', change: ['usage'], shows: /updated_at/ },
])('$list --watch --json prints one line each time', async ({ list, key, change, shows }) => {
  const out = await watch([...list, '--json'], change, shows)
  for (const line of out.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty(key)
})

/** Commands that show something and have no `--watch`, with why. */
const UNWATCHED: Readonly<Record<string, string>> = {
  'beads list': 'scripts of packs call it once',
  'beads show': 'scripts of packs call it once',
  'bead export': 'writes a file',
  'config show': 'files that a person edits, read without a supervisor',
  'config explain': 'files that a person edits, read without a supervisor',
  'confine explain': 'files that a person edits, read without a supervisor',
  'confine on': 'changes the setting',
  'formula catalog': 'files that a person edits',
  'formula show': 'files that a person edits',
  'import list': 'files that a person edits, read without a supervisor',
  'import status': 'files that a person edits, read without a supervisor',
  'import credential list': 'files that a person edits, read without a supervisor',
  'rig token list': 'a file that a person edits, read without a supervisor',
  'pack list': 'files that a person edits, read without a supervisor',
  'skill list': 'files that a person edits, read without a supervisor',
  'mail peek': 'a message stays as it is',
  'wait ready': 'wakes a session',
  'session peek': '`session watch` is the screen that goes on',
  'session transcript': '--follow goes on',
  'service logs': '--follow goes on',
  logs: '--follow goes on',
  'supervisor logs': '--follow goes on',
  'supervisor status': 'ends with a status that says whether there is one',
}

test('every command that shows what changes has --watch', () => {
  const shows =
    /(^| )(list|show|status|steps|timeline|history|comments|thread|threads|inbox|graph|ready|peek|logs|transcript|drift|denials|network|diff|count|adapters|usage|limits|cities|explain|catalog)$/
  const without = allCommands()
    .filter(({ command }) => !('_allowUnknownOption' in command && command._allowUnknownOption))
    .filter(({ name, command }) => shows.test(name) && !command.options.some(({ long }) => long === '--watch'))
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('social ') && UNWATCHED[name] === undefined)
  expect(without).toEqual([])
})

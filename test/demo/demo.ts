import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gc, home, lines, perform, runChecked, say, serve, start, until } from './stage.ts'

/** Shows one piece of work from beginning to end with the binary and git, as a user would do it. */

/** The agent: it claims work, does it and closes it, until there is none. */
const AGENT = `#!/bin/sh
set -eu
while :; do
  next=$(gc hook --claim --drain-ack --json)
  case $next in *'"action":"work"'*) ;; *) echo "nothing left to do"; exit 0 ;; esac
  bead=$(printf '%s' "$next" | sed 's/.*"bead_id":"\\([^"]*\\)".*/\\1/')
  echo "$GC_AGENT works on $bead"
  printf 'Hello from %s.\\n' "$GC_AGENT" > hello.txt
  git add hello.txt
  git commit --quiet --message "$bead: say hello"
  git log --oneline --max-count=1
  bd close "$bead" --reason 'hello.txt is written and committed'
done
`

const rig = join(home, 'shop')

await perform(demo)

async function demo(): Promise<void> {
  const server = await serve()
  await gc('init', join(home, 'town'))
  await makeRepository()
  await gc('rig', 'add', rig)
  await gc('agent', 'add', 'shop/greeter', '--command', join(rig, 'greeter.sh'))
  const closed = watch()
  const { bead_id: bead } = JSON.parse(await gc('sling', 'shop/greeter', 'Say hello in hello.txt', '--json'))
  await until(`${bead} is closed`, () => closed.has(bead))
  await show(bead)
  await gc('down')
  await until('the supervisor has ended', () => server.exitCode !== null)
}

async function makeRepository(): Promise<void> {
  mkdirSync(rig)
  writeFileSync(join(rig, 'greeter.sh'), AGENT)
  chmodSync(join(rig, 'greeter.sh'), 0o755)
  writeFileSync(join(rig, 'README.md'), '# A shop\n')
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '.'],
    ['commit', '--quiet', '--message=Begin'],
  ]) {
    await runChecked('git', args, rig)
  }
}

/** Shows the city's events and the screen of each session; returns the set of closed beads. */
function watch(): ReadonlySet<string> {
  const closed = new Set<string>()
  lines(start('gc events', ['events', '--follow', '--after', '0', '--json'], { read: true }), (text) => {
    const event = JSON.parse(text)
    say('event', [event.type, event.subject, event.payload?.bead?.status, event.message].filter(Boolean).join('  '))
    if (event.type === 'bead.closed') closed.add(event.subject)
    if (event.type === 'session.woke') showScreen(event.session_id ?? event.subject)
  })
  return closed
}

function showScreen(session: string): void {
  const screen = start('gc session attach', ['session', 'attach', session, '--read-only'], {
    read: true,
    stderr: 'ignore',
  })
  lines(screen, (text) => {
    const plain = Bun.stripANSI(text).trim()
    if (plain) say('agent', plain)
  })
}

async function show(bead: string): Promise<void> {
  await gc('bead', 'show', bead)
  say('git', await runChecked('git', ['log', '--oneline', '--max-count=1'], rig))
  const text = readFileSync(join(rig, 'hello.txt'), 'utf8')
  say('hello.txt', text)
  if (!text.startsWith('Hello')) throw new Error('hello.txt does not say hello')
}

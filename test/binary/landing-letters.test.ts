import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort } from '../slow/town.ts'
import { eventually } from '../support/until.ts'
import { confinedTown, IDENTITY } from './confined-town.ts'

const ENV = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' }
const AUTHOR = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b'

/**
 * An agent that speaks ACP. It claims a bead, commits and closes it; a letter is kept beside the repository, and its commands
 * are carried out as they are written.
 */
const AGENT = `${AUTHOR}
work() {
  bead=$(gc hook --claim --json | sed -n 's/.*"bead_id": *"\\([^"]*\\)".*/\\1/p')
  [ -n "$bead" ] || return 0
  echo worker > shared && git add shared && git commit -q -m work && gc bd close "$bead" --reason done
}
follow() {
  printf '%s' "$1" | sed 's/\\\\n/\\n/g' | sed -n 's/^    //p' > .git/commands
  sh -c "$(grep 'git merge' .git/commands)"
  printf 'person\\nworker\\n' > shared
  sh -ec "$(grep -e '^git add' -e 'git commit' -e '^gc land submit' .git/commands)"
}
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\\([0-9]*\\).*/\\1/p')
  answer='{}'
  case "$line" in
    *'"initialize"'*) answer='{"protocolVersion":1,"agentCapabilities":{"loadSession":false}}';;
    *'"session/new"'*) answer='{"sessionId":"s"}'; (work > .git/work 2>&1) &;;
    *'"session/prompt"'*)
      answer='{"stopReason":"end_turn"}'
      case "$line" in *'(Landing '*) printf '%s\\n' "$line" >> .git/letters; follow "$line" > .git/followed 2>&1;; esac;;
  esac
  [ -n "$id" ] && printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$answer"
done
`

function git(cwd: string, ...words: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', ...IDENTITY, ...words], { cwd, env: ENV })
  if (exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`)
  return stdout.toString().trim()
}

/** Puts a file on main of a remote, which a person then changes there. */
function makeRemote(city: string): void {
  const [rig, remote] = ['demo', 'remote.git'].map((name) => join(dirname(city), name))
  if (rig === undefined || remote === undefined) return
  const write = (text: string) => {
    writeFileSync(join(rig, 'shared'), `${text}\n`)
    git(rig, 'add', '-A')
    git(rig, 'commit', '-q', '-m', text)
    git(rig, 'push', '-q', 'origin', 'main')
  }
  git(dirname(city), 'init', '-q', '--bare', '-b', 'main', remote)
  git(rig, 'remote', 'add', 'origin', remote)
  write('base')
  write('person')
  git(rig, 'reset', '-q', '--hard', 'HEAD~1')
}

const CITY = `[rigs.land]
mode = "push"
auto = { check = "green" }
check = ["grep", "-q", "person", "shared"]
[[agent]]
name = "worker"
dir = "demo"
worktree = true
session = "acp"
start_command = "sh @/mill/agent.sh"
[agent.confine]
read = ["@/mill/agent.sh"]
`

test.skipIf(process.platform !== 'linux')(
  'a confined session gets the letter of its conflict once over a kill of the supervisor, and what it resubmits lands',
  async () => {
    const port = await freePort()
    const prepare = (city: string) => {
      writeFileSync(join(city, 'agent.sh'), AGENT)
      makeRemote(city)
    }
    await using town = await confinedTown(CITY, prepare, '--port', port)
    const { world, call } = town
    const metadata = { 'gc.routed_to': 'demo/worker' }
    const { body: bead } = await call('POST ~/beads', { body: { title: 'work', rig: 'demo', metadata } })
    const landing = async () => (await call('GET ~/landings').catch(() => ({ body: {} }))).body.items?.[0]
    const isGivenBack = (row?: { try: number; state: string }) => row?.state === 'conflict' || (row?.try ?? 0) > 1
    await eventually('the branch conflicts', 30_000, landing, isGivenBack)
    await world.kill()
    await world.start('--port', port)
    await eventually('it lands', 40_000, landing, (row?: { state: string }) => row?.state === 'landed')
    const { body } = await call('GET ~/worktrees')
    const folder: string = body.items[0]?.path ?? ''
    const letters = readFileSync(join(folder, '.git', 'letters'), 'utf8')
      .trim()
      .split('\n')
    expect(letters).toHaveLength(1)
    expect(git(join(dirname(town.path), 'remote.git'), 'show', 'main:shared')).toBe('person\nworker')
    expect((await call(`GET ~/bead/${bead.id}`)).body.metadata.merged_target).toBe('main')
  },
  90_000,
)

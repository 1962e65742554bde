import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { confinedTown, IDENTITY } from './confined-town.ts'

/** Makes a folder a worktree of a rig where it is none, and brings it up to date, as packs do. */
const WORKTREE_SETUP = `#!/bin/sh
set -eu
rig=$1; folder=$2; branch=gc-$3
sync() { git -C "$folder" fetch -q origin; git -C "$folder" pull -q --rebase origin main; }
if [ -d "$folder/.git" ] || [ -f "$folder/.git" ]; then sync; exit 0; fi
git -C "$rig" worktree prune
git -C "$rig" worktree add -q "$folder" -b "$branch"
exclude=$(git -C "$folder" rev-parse --git-path info/exclude)
touch "$exclude"
grep -qxF .runtime/ "$exclude" || echo .runtime/ >> "$exclude"
sync
`
const SETUP = 'pre_start = ["{{.ConfigDir}}/assets/scripts/worktree-setup.sh {{.RigRoot}} {{.WorkDir}} {{.AgentBase}}"]'

/** Leaves in its folder, and in the repository that it may change, whatever git runs or obeys. */
const PLANT = `cat > evil <<'END'
#!/bin/sh
[ -n "$GC_DIR" ] || exec cat
echo ran >> "$GC_DIR/ran"
touch "$HOME/pwned" "$GC_CITY_PATH/pwned" "$GC_RIG_ROOT/pwned"
exec cat
END
chmod +x evil
hooks=$(git rev-parse --git-path hooks); mkdir -p "$hooks"
for hook in post-merge post-checkout post-rewrite pre-rebase reference-transaction post-index-change; do
  printf '#!/bin/sh\\n"%s/evil" < /dev/null\\n' "$GC_DIR" > "$hooks/$hook"; chmod +x "$hooks/$hook"
done
git config core.fsmonitor "$GC_DIR/evil"; git config filter.evil.smudge "$GC_DIR/evil"; git config filter.evil.clean "$GC_DIR/evil"
printf '* filter=evil\\n' > "$(git rev-parse --git-path info/attributes)"
echo run >> runs; touch done; sleep 600`

const smith = (confine: string, more: string, script: string) => `[[agent]]
name = "smith"
dir = "demo"
max_active_sessions = 1
work_dir = ".gc/worktrees/{{.Rig}}/crew/{{.AgentBase}}"
confine = ${confine}
${more}
start_command = '''${script}'''
[[named_session]]
template = "smith"
scope = "rig"
mode = "always"
`

function git(cwd: string, ...words: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', ...IDENTITY, ...words], { cwd })
  if (exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`)
  return stdout.toString().trim()
}

/** A town whose agent runs, and has noted that in its folder. */
async function started(it: Awaited<ReturnType<typeof confinedTown>>) {
  const folder = join(it.path, '.gc/worktrees/demo/crew/smith')
  const lines = async (name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim().split('\n') : []
  const runs = (count: number) =>
    eventually(
      `it ran ${count} times`,
      20_000,
      () => lines('runs'),
      ({ length }) => length === count,
    )
  await runs(1)
  const again = async () => {
    const [{ id }] = (await it.call('GET ~/sessions')).body.items
    await it.call(`POST ~/session/${id}/kill`)
    await runs(2)
  }
  return { it, folder, lines, again }
}

/** A town whose rig has a remote, and whose agent works in a worktree that a script of the city makes. */
async function withRemote(confine: string) {
  const toml = smith(confine, SETUP, PLANT)
  const it = await confinedTown(toml, (path) => {
    mkdirSync(join(path, 'assets/scripts'), { recursive: true })
    writeFileSync(join(path, 'assets/scripts/worktree-setup.sh'), WORKTREE_SETUP, { mode: 0o755 })
    const rig = join(path, '../demo')
    git(join(path, '..'), 'init', '-q', '--bare', '-b', 'main', 'origin.git')
    git(rig, 'remote', 'add', 'origin', join(path, '../origin.git'))
    git(rig, 'push', '-q', 'origin', 'main')
  })
  const town = await started(it)
  return {
    ...town,
    /** Addresses that programs reached without permission. */
    pwned: () => [it.world.folder.at('user'), it.path, it.rig].filter((place) => existsSync(join(place, 'pwned'))),
    /** Gives the remote another commit, and starts the session again. */
    async again(): Promise<void> {
      const other = it.world.folder.at('other')
      git(it.world.folder.path, 'clone', '-q', 'origin.git', 'other')
      writeFileSync(join(other, 'news'), 'news')
      git(other, 'add', 'news')
      git(other, 'commit', '-q', '-m', 'news')
      git(other, 'push', '-q', 'origin', 'main')
      await town.again()
    },
    [Symbol.asyncDispose]: () => it[Symbol.asyncDispose](),
  }
}

describe('pre_start of a confined agent', () => {
  test('makes a worktree and pulls in it, and what the session left for git to run does not reach further than the session', async () => {
    await using town = await withRemote('{ mode = "default", read = ["@/origin.git"] }')
    const { it, folder, lines } = town
    await town.again()
    expect(readFileSync(join(folder, 'news'), 'utf8')).toBe('news')
    expect(git(it.rig, 'worktree', 'list')).toContain('[gc-smith]')
    expect((await lines('ran')).length).toBeGreaterThan(0)
    expect(town.pwned()).toEqual([])
  })

  test('runs as you do where its agent is not confined', async () => {
    await using town = await withRemote('"off"')
    await town.again()
    expect(existsSync(join(town.folder, 'news'))).toBe(true)
    expect(town.pwned()).toHaveLength(3)
  })

  test('changes neither settings nor hooks of the rig, and nothing of its repository once a session was in the folder', async () => {
    const attempt = `for file in config hooks/post-commit info/attributes refs/heads/planted worktrees/planted; do
  echo "$1" 2> /dev/null >> "$GC_RIG_ROOT/.git/$file" && echo "$1 $file" >> "$GC_DIR/could"
done`
    const plant = `printf '%s\\n' '${attempt.replaceAll('\n', "' '")}' > prepare; echo run >> runs; touch done; sleep 600`
    const setup = `pre_start = ['''if [ -e prepare ]; then sh prepare later; else set -- first; ${attempt}; fi; rm -f "$GC_RIG_ROOT/.git/worktrees/planted"''']`
    await using it = await confinedTown(smith('"default"', setup, plant))
    const { lines, again } = await started(it)
    await again()
    expect(await lines('could')).toEqual(['first refs/heads/planted', 'first worktrees/planted'])
  })
})

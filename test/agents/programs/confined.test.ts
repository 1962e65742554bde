import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { KEY, OPENCODE_KEYS, openConfined, RUNS, type Run } from './confined-programs.ts'
import type { Script } from './model-server.ts'
import type { Program } from './programs.ts'
import { eventually } from './town.ts'

setDefaultTimeout(120_000)

/** The key as a pattern that does not match itself, since the program keeps what it was asked to do. */
const PATTERN = KEY.replace(/.$/, '[$&]')
/** Looks for the key in its variables, those of other programs, its files and those of its home. */
const SEARCH = `env > env.txt; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline > others.txt 2> /dev/null
grep -rls '${PATTERN}' . "$TMPDIR/.." "$HOME" "$GC_HOME" "$GC_CITY" > found.txt 2> /dev/null; echo made > made.txt`

/** Has the program look for the key, and say what it found. */
const script =
  ({ shell }: Program): Script =>
  ({ results }) =>
    results.length === 0 ? shell(SEARCH) : { text: 'Done.' }

const named = (run: Run): [string, Run] => [`${run.program.provider}${run.home ? ' on a terminal' : ''}`, run]

const KEYED = OPENCODE_KEYS.map(([way, run]): [string, Run] => [`opencode with ${way}`, run])

test.each([...RUNS.map(named), ...KEYED])('%s works confined with a key that it does not have', async (_, run) => {
  await using opened = await openConfined(run, script(run.program))
  const { gc, rig, model, keys } = opened
  await gc('register', '.')
  const { id } = JSON.parse(await gc('session', 'new', 'demo/worker', '--message', 'Make it.', '--json'))
  await eventually(() => existsSync(join(rig, 'made.txt')))
  await eventually(() => model.conversations.some(({ results }) => results.length > 0))
  const variables = readFileSync(join(rig, 'env.txt'), 'utf8')
  expect(variables).not.toContain(KEY)
  expect(readFileSync(join(rig, 'others.txt'), 'utf8')).not.toContain(KEY)
  expect(readFileSync(join(rig, 'found.txt'), 'utf8')).toBe('')
  expect(variables).toContain('HTTPS_PROXY=http://gc:')
  expect(new Set(keys.map((key) => key.replace('Bearer ', '')))).toEqual(new Set([KEY]))
  await eventually(async () => /assistant\nDone\./.test(await gc('session', 'logs', id)))
})

/** Has the program claim a bead, commit and close it. */
const work =
  ({ shell }: Program): Script =>
  ({ results }) =>
    results.length === 0
      ? shell(
          'gc hook --claim --json > "$TMPDIR/claimed"; echo new > made.txt; git add made.txt; git -c user.name=a -c user.email=a@b commit -qm worked; sed -n \'s/.*"bead_id":"\\([^"]*\\)".*/\\1/p\' "$TMPDIR/claimed" | xargs -I ID gc bd close ID --reason done',
        )
      : { text: 'Done.' }

/** Codex and Claude Code ask on a terminal whether a clone is trusted, confined or not. */
const WORKERS = RUNS.filter(({ program, home }) => (program.provider === 'gemini') === (home !== undefined))

test.each(WORKERS.map(named))(
  '%s commits in a clone of its own what it was slung, and that comes home',
  async (_, run) => {
    await using opened = await openConfined(run, work(run.program), 'worktree = true\n')
    const { gc, rig } = opened
    const git = (...words: string[]) =>
      Bun.spawnSync(['git', '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: rig }).stdout.toString()
    git('init', '-qb', 'main')
    git('commit', '-qm', 'first', '--allow-empty')
    await gc('register', '.')
    const { id } = JSON.parse(await gc('bead', 'create', 'Make it.', '--rig', 'demo', '--json'))
    await gc('sling', 'demo/worker', id)
    await eventually(() => git('log', '--all', '--format=%s').split('\n').includes('worked'))
    await eventually(async () => JSON.parse(await gc('bead', 'show', id, '--json')).status === 'closed')
    expect(git('log', '--format=%s', 'main')).toBe('first\n')
    expect(existsSync(join(rig, 'made.txt'))).toBe(false)
  },
)

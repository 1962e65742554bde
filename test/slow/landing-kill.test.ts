import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SEED } from '../support/seed.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { dice, up, World } from './town.ts'

/** Branches in all, in runs of so many; `GC_LANDINGS_LOG` names a file in which runs are kept that are over. */
const BRANCHES = Number(process.env.GC_LANDINGS ?? 10)
const PER_RUN = 50
const LOG = process.env.GC_LANDINGS_LOG
const GIT = Bun.which('git') ?? 'git'

const env = {
  ...{ PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b' },
  ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
}

function git(cwd: string, words: readonly string[], input = ''): string {
  const ran = Bun.spawnSync([GIT, '-C', cwd, ...words], { env, stdin: Buffer.from(input) })
  if (ran.exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${ran.stderr}`)
  return ran.stdout.toString().trim()
}

/** Every git command that a landing is made of, before and after which the supervisor is killed: alone, or with all of git. */
const VERBS =
  'ls-remote push commit-tree merge-tree update-ref pack-objects index-pack rev-list rev-parse diff-tree read-tree cat-file log merge-base'.split(
    ' ',
  )
const POINTS = [
  ...VERBS.flatMap((verb) =>
    ['before', 'after'].flatMap((when) => ['alone', 'group'].map((how) => `${when} ${verb} ${how}`)),
  ),
  ...['mid push alone', 'mid push group', 'check check alone', 'any time alone'],
]

/** git, which kills the supervisor at the point that the file `plan` names, once. */
const WRAPPER = `#!/bin/sh
verb=
skip=
for word in "$@"; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case "$word" in -c|-C) skip=1;; -*) ;; *) verb=$word; break;; esac
done
strike() {
  mv "$GC_POINTS/plan" "$GC_POINTS/struck" 2>/dev/null || return 0
  kill -9 "$(cat "$GC_POINTS/pid")"
  [ "$1" = group ] && kill -9 0
  return 0
}
plan=$(cat "$GC_POINTS/plan" 2>/dev/null)
case "$plan" in "before $verb alone") strike alone;; "before $verb group") strike group;; esac
if [ -e "$GC_POINTS/force" ] && [ "$verb" = push ]; then
  rm "$GC_POINTS/force"
  env -i PATH="$PATH" sh "$GC_POINTS/person"
  for word in "$@"; do
    shift
    case "$word" in --force-with-lease*) set -- "$@" --force;; *) set -- "$@" "$word";; esac
  done
fi
${GIT} "$@"
status=$?
case "$plan" in "after $verb alone") strike alone;; "after $verb group") strike group;; esac
exit $status
`

/** The remote goes on with a push whose client is killed, and keeps a record of its own. */
const UPDATE = `#!/bin/sh
plan=$(cat "$GC_POINTS/plan" 2>/dev/null)
case "$plan" in "mid push"*)
  mv "$GC_POINTS/plan" "$GC_POINTS/struck"
  kill -9 "$(cat "$GC_POINTS/pid")"
  case "$plan" in *group) for pid in $(cut -d" " -f4 "/proc/$PPID/stat"); do kill -9 "$pid"; done;; esac
  sleep 0.4;;
esac
exit 0
`

const CHECK = `if [ "$(cat "$GC_POINTS/plan" 2>/dev/null)" = "check check alone" ]; then mv "$GC_POINTS/plan" "$GC_POINTS/struck"; kill -9 "$(cat "$GC_POINTS/pid")"; fi
! ls broken* >/dev/null 2>&1`

interface Branch {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
}

/** Some branches break the check, and some change the same line. */
function planBranches(count: number, roll: () => number): Branch[] {
  return Array.from({ length: count }, (_, n) => {
    const kind = roll()
    const name = `b${n}`
    if (kind < 0.06) return { name, files: { [`broken-${n}`]: 'x\n' } }
    if (kind < 0.3) return { name, files: { [`shared-${n % 3}`]: `1\n${name}\n3\n` } }
    return { name, files: { [`own-${n}`]: `${name}\n` } }
  })
}

/** Makes all branches by one command. */
function writeBranches(rig: string, branches: readonly Branch[]): void {
  const main = git(rig, ['rev-parse', 'main'])
  const lines = branches.flatMap(({ name, files }) => [
    `commit refs/heads/${name}`,
    'author a <a@b> 1700000000 +0000',
    'committer a <a@b> 1700000000 +0000',
    ...data(`add ${name}`),
    `from ${main}`,
    ...Object.entries(files).flatMap(([path, text]) => [`M 100644 inline ${path}`, ...data(text)]),
    '',
  ])
  git(rig, ['fast-import', '--quiet'], `${lines.join('\n')}\n`)
}

const data = (text: string): string[] => [`data ${Buffer.byteLength(text)}`, text]

interface Counts {
  landed: number
  kills: number
  lost: number
  twice: number
  invented: number
  unreported: number
  forgotten: number
  persons: number
}

type Landed = { id: string; state: string; branch: string; merged?: string }

/** What the remote has: its commits, and which landing each of them is. */
function readRemote(remote: string): { commits: Set<string>; landings: string[] } {
  const lines = git(remote, ['log', '--format=%H %(trailers:key=Gc-Landing,valueonly,separator=%x2C)', 'main']).split(
    '\n',
  )
  const landings = lines.flatMap((line) => line.split(' ')[1]?.split('/')[1] ?? [])
  return { commits: new Set(lines.map((line) => line.split(' ')[0] ?? '')), landings }
}

/** The oracle: it reads the remote, and holds what gc says against that. */
function judge(remote: string, said: readonly Landed[], persons: readonly string[], isOver: boolean): Partial<Counts> {
  const { commits, landings } = readRemote(remote)
  const landed = said.filter(({ state }) => state === 'landed')
  const unsaid = landings.filter((id) => !landed.some((each) => each.id === id))
  const open = said.filter(({ state }) => ['submitted', 'queued', 'in_batch', 'waits_turn'].includes(state))
  return {
    twice: landings.length - new Set(landings).size,
    invented: landed.filter(({ id, merged = '' }) => !commits.has(merged) || !landings.includes(id)).length,
    lost: persons.filter((commit) => !commits.has(commit)).length + notForward(remote),
    ...(isOver && { unreported: unsaid.length, forgotten: open.length }),
  }
}

/** Moves of main, by the remote's own record, that left something behind. */
function notForward(remote: string): number {
  const log = readFileSync(join(remote, 'moves'), 'utf8').trim().split('\n').filter(Boolean)
  return log.filter((line) => {
    const [old = '', next = ''] = line.split(' ')
    return Bun.spawnSync([GIT, '-C', remote, 'merge-base', '--is-ancestor', old, next], { env }).exitCode !== 0
  }).length
}

const NOTHING = { lost: 0, twice: 0, invented: 0, unreported: 0, forgotten: 0 }

function setUp(world: World, seed: number): { rig: string; remote: string; points: string } {
  const [rig, remote, points] = [world.folder.at('shop'), world.folder.at('remote.git'), world.folder.at('points')]
  git(world.folder.path, ['init', '-q', '--bare', '-b', 'main', remote])
  git(world.folder.path, ['init', '-q', '-b', 'main', rig])
  for (let n = 0; n < 3; n++) writeFileSync(join(rig, `shared-${n}`), '1\n2\n3\n')
  git(rig, ['add', '-A'])
  git(rig, ['commit', '-q', '-m', `base of ${seed}`])
  git(rig, ['remote', 'add', 'origin', remote])
  git(rig, ['push', '-q', 'origin', 'main'])
  for (const [name, text] of [
    ['update', UPDATE],
    ['post-receive', '#!/bin/sh\ncat >> moves\n'],
  ] as const) {
    writeFileSync(join(remote, 'hooks', name), text)
    chmodSync(join(remote, 'hooks', name), 0o755)
  }
  writeFileSync(join(remote, 'moves'), '')
  return { rig, remote, points }
}

/** Makes a folder in which `git` is one that kills. */
function makeWrapper(points: string): void {
  mkdirSync(join(points, 'bin'), { recursive: true })
  writeFileSync(join(points, 'bin', 'git'), WRAPPER)
  chmodSync(join(points, 'bin', 'git'), 0o755)
}

/** One run: branches are submitted and land, while the supervisor is killed again and again. */
async function run(seed: number, count: number): Promise<Counts> {
  const roll = dice(seed)
  const points = `/tmp/gc-points-${process.pid}-${seed}`
  makeWrapper(points)
  await using world = await World.with({ PATH: `${join(points, 'bin')}:${process.env.PATH}`, GC_POINTS: points })
  try {
    return await drive(world, { points, roll, seed, count })
  } finally {
    rmSync(points, { recursive: true, force: true })
  }
}

async function drive(
  world: World,
  { points, roll, seed, count }: { points: string; roll: () => number; seed: number; count: number },
): Promise<Counts> {
  const { rig, remote } = setUp(world, seed)
  const branches = planBranches(count, roll)
  writeBranches(rig, branches)
  const city = await world.city('town')
  writeFileSync(
    join(city.path, 'city.toml'),
    `[workspace]\nname = "town"\n[[rigs]]\nname = "shop"\npath = "${rig}"\n[rigs.land]\nmode = "push"\nbatch = 8\ncheck = ["sh", "-c", '''GC_POINTS=${points}; ${CHECK}''']\n`,
  )
  const counts: Counts = { landed: 0, kills: 0, persons: 0, ...NOTHING }
  const persons: string[] = []
  const left = [...branches]
  await Bun.sleep(500)
  for (let life = 0; life < 20 + count * 4; life++) {
    writeFileSync(join(points, 'pid'), String(world.pid))
    const point = life % 3 === 2 && left.length === 0 ? undefined : POINTS[Math.floor(roll() * POINTS.length)]
    if (point !== undefined) writeFileSync(join(points, 'plan'), point)
    if (roll() < 0.2) persons.push(pushAsPerson(remote, persons.length))
    const said = await live(world, city, { points, point, left, roll })
    counts.kills += said.killed ? 1 : 0
    for (const [key, value] of Object.entries(judge(remote, said.landings, persons, said.isOver)))
      Reflect.set(counts, key, value)
    expect({ seed, life, point, ...counts }).toMatchObject(NOTHING)
    if (said.isOver) break
  }
  counts.landed = new Set(readRemote(remote).landings).size
  counts.persons = persons.length
  return counts
}

interface Life {
  points: string
  point: string | undefined
  left: Branch[]
  roll: () => number
}

/** A life of the supervisor: it ends at its point, or when there is nothing left to do. */
async function live(world: World, city: TestCity, { points, point, left, roll }: Life) {
  const isStruck = () => existsSync(join(points, 'struck'))
  const end = Date.now() + 20_000
  const anyTime = point === 'any time alone' ? Date.now() + roll() * 1500 : Number.POSITIVE_INFINITY
  let landings: Landed[] = []
  while (!isStruck() && Date.now() < end && Date.now() < anyTime) {
    const answer = await step(city, left).catch(() => undefined)
    if (answer) landings = answer
    const busy = landings.some(({ state }) =>
      ['submitted', 'queued', 'in_batch', 'waits_turn', 'conflict', 'red'].includes(state),
    )
    if (answer && left.length === 0 && !busy) break
    await Bun.sleep(100)
  }
  const killed = isStruck() || Date.now() >= anyTime
  rmSync(join(points, 'plan'), { force: true })
  rmSync(join(points, 'struck'), { force: true })
  if (killed) {
    await world.kill()
    await world.start()
    await up(city)
  }
  const all = await list(city)
  const isOver =
    left.length === 0 &&
    !killed &&
    all.every(({ state }) => !['submitted', 'queued', 'in_batch', 'waits_turn'].includes(state))
  return { landings: all, killed, isOver }
}

const list = async (city: TestCity): Promise<Landed[]> => (await city.call('GET ~/landings?limit=500')).body.items

/** Submits some branches, and plays the owners of those that came back: they give up. */
async function step(city: TestCity, left: Branch[]): Promise<Landed[]> {
  for (const { name } of left.slice(0, 4)) {
    const { status } = await city.call('POST ~/rig/shop/land', { body: { branch: name } })
    if (status === 202) left.shift()
  }
  const landings = await list(city)
  for (const { id, state } of landings) {
    if (state === 'conflict' || state === 'red') await city.call(`POST ~/landing/${id}/give-up`, { body: {} })
  }
  return landings
}

/** A person pushes a commit of theirs. */
function pushAsPerson(remote: string, number: number): string {
  for (;;) {
    const old = git(remote, ['rev-parse', 'main'])
    const blob = git(remote, ['hash-object', '-w', '--stdin'], `${number}\n`)
    const tree = git(remote, ['ls-tree', 'main'])
    const next = git(remote, ['mktree'], `${tree}\n100644 blob ${blob}\tperson-${number}\n`)
    const commit = git(remote, ['commit-tree', next, '-p', old, '-m', `person ${number}`])
    const moved = Bun.spawnSync([GIT, '-C', remote, 'update-ref', 'refs/heads/main', commit, old], { env })
    if (moved.exitCode === 0) return commit
  }
}

test(
  `kills at named points lose, repeat, invent and forget no landing (${BRANCHES} branches)`,
  async () => {
    const done = LOG && existsSync(LOG) ? readFileSync(LOG, 'utf8').trim().split('\n').filter(Boolean) : []
    const seen = new Set(done.map((line): number => JSON.parse(line).seed))
    const runs = Math.ceil(BRANCHES / PER_RUN)
    const sum = { landed: 0, kills: 0, persons: 0 }
    for (let n = 0; n < runs; n++) {
      const seed = SEED + n
      if (seen.has(seed)) continue
      const counts = await run(seed, Math.min(PER_RUN, BRANCHES - n * PER_RUN))
      if (LOG) appendFileSync(LOG, `${JSON.stringify({ seed, ...counts })}\n`)
      for (const key of ['landed', 'kills', 'persons'] as const) sum[key] += counts[key]
    }
    if (BRANCHES > PER_RUN) process.stdout.write(`${JSON.stringify({ seed: SEED, branches: BRANCHES, ...sum })}\n`)
    expect(sum.kills).toBeGreaterThan(0)
  },
  Math.max(300_000, BRANCHES * 10_000),
)

/** A world in which one branch is to land; `prepare` is called before it is submitted. */
async function sabotaged(
  prepare: (remote: string, points: string) => void,
  work: (world: World, city: TestCity, remote: string) => Promise<void>,
) {
  const points = `/tmp/gc-points-${process.pid}-sabotage`
  makeWrapper(points)
  await using world = await World.with({ PATH: `${join(points, 'bin')}:${process.env.PATH}`, GC_POINTS: points })
  try {
    const { rig, remote } = setUp(world, 0)
    writeBranches(rig, [{ name: 'b0', files: { own: 'x\n' } }])
    const city = await world.city('town')
    const declared = `[workspace]\nname = "town"\n[[rigs]]\nname = "shop"\npath = "${rig}"\n[rigs.land]\nmode = "push"\n`
    writeFileSync(join(city.path, 'city.toml'), declared)
    writeFileSync(join(points, 'pid'), String(world.pid))
    prepare(remote, points)
    const submit = () => city.call('POST ~/rig/shop/land', { body: { branch: 'b0' } })
    await eventually('the branch is submitted', 30_000, submit, ({ status }) => status === 202)
    await work(world, city, remote)
  } finally {
    rmSync(points, { recursive: true, force: true })
  }
}

describe('the oracle', () => {
  test('sees a commit of a person that a push without a lease loses', async () => {
    const commit = `${GIT} -c user.name=a -c user.email=a@b commit-tree "main^{tree}" -p main -m person`
    await sabotaged(
      (remote, points) => {
        writeFileSync(
          join(points, 'person'),
          `cd ${remote} && ${GIT} rev-parse main > old && ${GIT} update-ref refs/heads/main "$(${commit})" && ${GIT} rev-parse main > person\n`,
        )
        writeFileSync(join(points, 'force'), '')
      },
      async (_, city, remote) => {
        const landed = (all: Landed[]) => all.some(({ state }) => state === 'landed')
        const said = await eventually('it lands', 60_000, () => list(city), landed)
        const person = readFileSync(join(remote, 'person'), 'utf8').trim()
        expect(judge(remote, said, [person], true).lost).toBeGreaterThan(0)
      },
    )
  }, 120_000)

  test('sees a landing that nobody knows of when a push had no row', async () => {
    await sabotaged(
      (_, points) => writeFileSync(join(points, 'plan'), 'after push alone'),
      async (world, city, remote) => {
        const isStruck = async () =>
          existsSync(world.folder.at('remote.git', 'moves')) && readRemote(remote).landings.length > 0
        await eventually('it arrives', 60_000, isStruck, (is) => is)
        await world.kill()
        using db = new Database(join(city.path, '.gc/city.db'))
        db.run('DELETE FROM landing_pushes')
        db.close()
        await world.start()
        await up(city)
        await Bun.sleep(1_000)
        const { unreported = 0, forgotten = 0 } = judge(remote, await list(city), [], true)
        expect([unreported, forgotten]).toEqual([1, 1])
      },
    )
  }, 120_000)
})

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { changesDigest } from '../../src/changes/yard/index.ts'
import { type Branch, type Faults, git, judge, type Landed, writeBranches } from '../support/landings.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { makeRig, Points } from './landing-points.ts'
import { up, World } from './town.ts'

/**
 * Each test takes one rule away from the queue, by a git that deceives it or by what its rows forget, and shows that the
 * oracle sees it. What the oracle does not see, the test with kills could not see either.
 */

const WAIT_MS = 60_000
const GIT = Bun.which('git') ?? 'git'
const BRANCH: Branch = { name: 'b0', files: { own: 'x\n' } }

let points: Points
let world: World
beforeAll(async () => {
  points = new Points()
  world = await World.with(points.env)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  points[Symbol.dispose]()
})

/** A city with a rig of its own, in which one branch is to land. */
class Stage {
  private constructor(
    readonly city: TestCity,
    readonly remote: string,
  ) {}

  static async open(name: string): Promise<Stage> {
    const folder = world.folder.at(`${name}-rig`)
    mkdirSync(folder)
    const { rig, remote } = makeRig(folder, points)
    writeBranches(rig, [BRANCH], 'main')
    const city = await world.city(name)
    const land = '[rigs.land]\nmode = "push"\n'
    writeFileSync(
      join(city.path, 'city.toml'),
      `[workspace]\nname = "${name}"\n[[rigs]]\nname = "shop"\npath = "${rig}"\n${land}`,
    )
    const isKnown = () => city.call('GET ~/rig/shop/land')
    await eventually('the rig is known', WAIT_MS, isKnown, ({ status }) => status === 200)
    return new Stage(city, remote)
  }

  async submit(): Promise<void> {
    expect((await this.city.call('POST ~/rig/shop/land', { body: { branch: BRANCH.name } })).status).toBe(202)
  }

  async list(): Promise<Landed[]> {
    return (await this.city.call('GET ~/landings')).body.items
  }

  /** Verdict of the oracle once the landing is in a state. */
  async judgeIn(state: string): Promise<Partial<Faults>> {
    const isThere = (said: Landed[]) => said.some((each) => each.state === state)
    const said = await eventually(`it is ${state}`, WAIT_MS, () => this.list(), isThere)
    const evidence = { remote: this.remote, branches: [BRANCH], persons: points.personsOf(this.remote), isOver: true }
    const faults = Object.entries(judge(said, evidence)).filter(([, count]) => count > 0)
    return Object.fromEntries(faults)
  }

  /** Kills the supervisor at a point, changes what it knows, and starts it again. */
  async crash(point: string, forget: (db: Database) => void, meanwhile = async () => {}): Promise<void> {
    points.plan = point
    await this.submit()
    await eventually(
      'the point is reached',
      WAIT_MS,
      async () => points.isStruck,
      (is) => is,
    )
    await world.kill()
    using db = new Database(join(this.city.path, '.gc/city.db'))
    forget(db)
    db.close()
    points.release()
    await meanwhile()
    await world.start()
    await up(this.city)
  }
}

/** As if a push that was begun had been done with. */
function forgetPush(db: Database): void {
  db.run("UPDATE landing_pushes SET state = 'overtaken'")
  db.run("UPDATE landing_batches SET state = 'done'")
  db.run("UPDATE landings SET state = 'queued', batch = NULL WHERE state = 'in_batch'")
}

test('sees nothing where every rule holds', async () => {
  const stage = await Stage.open('rules')
  await stage.crash('after push alone', () => {})
  expect(await stage.judgeIn('landed')).toEqual({})
}, 120_000)

test('sees what never arrived when what git answers is believed', async () => {
  const stage = await Stage.open('answers')
  points.addFault(
    'claim',
    `run() { for word; do case "$word" in *:refs/heads/main) echo "\${word%%:*}" > "$GC_POINTS/claimed";; esac; done; }`,
  )
  points.addFault(
    'believe',
    `run() { if [ -e "$GC_POINTS/claimed" ]; then printf '%s\\trefs/heads/main\\n' "$(cat "$GC_POINTS/claimed")"; else ${GIT} "$@"; fi; }`,
  )
  points.setFault('claim')
  points.setFault('believe', 'ls-remote', { always: true })
  await stage.submit()
  expect(await stage.judgeIn('landed')).toEqual({ invented: 1 })
  points.clear()
}, 120_000)

test('sees what a push without a row left behind', async () => {
  const stage = await Stage.open('rows')
  await stage.crash('after push alone', (db) => {
    forgetPush(db)
    db.run('DELETE FROM landing_pushes')
  })
  expect(await stage.judgeIn('already')).toEqual({ unreported: 1 })
}, 120_000)

test('sees a branch that lands twice when its push left no row and somebody reverted it', async () => {
  const stage = await Stage.open('twice')
  const revert = async () => {
    const words = [
      '-c',
      'user.name=p',
      '-c',
      'user.email=p@q',
      'commit-tree',
      'main~1^{tree}',
      '-p',
      'main',
      '-m',
      'no',
    ]
    git(stage.remote, ['update-ref', 'refs/heads/main', git(stage.remote, words)])
  }
  const forget = (db: Database) => {
    forgetPush(db)
    db.run('DELETE FROM landing_pushes')
  }
  await stage.crash('after push alone', forget, revert)
  expect(await stage.judgeIn('landed')).toEqual({ twice: 1 })
}, 120_000)

test('sees a branch that is forgotten when a batch ends in another write than what its branches do', async () => {
  const stage = await Stage.open('writes')
  await stage.crash('before push alone', (db) => {
    db.run("UPDATE landing_pushes SET state = 'overtaken'")
    db.run("UPDATE landing_batches SET state = 'done'")
  })
  const queue = () => stage.city.call('GET ~/rig/shop/land')
  await eventually('the queue is idle', WAIT_MS, queue, ({ body }) => body.batch === undefined)
  expect(await stage.judgeIn('in_batch')).toMatchObject({ forgotten: 1 })
}, 120_000)

test('sees a commit of a person that a push without a lease loses', async () => {
  const stage = await Stage.open('lease')
  points.addFault(
    'force',
    `run() { env -i PATH="$PATH" sh "$GC_POINTS/person"; for word; do shift; case "$word" in --force-with-lease*) word=--force;; esac; set -- "$@" "$word"; done; ${GIT} "$@"; }`,
  )
  points.setFault('force')
  await stage.submit()
  expect(await stage.judgeIn('landed')).toEqual({ lost: 2 })
}, 120_000)

test('sees a history that a commit which does not continue it replaces', async () => {
  const stage = await Stage.open('ancestor')
  points.addFault(
    'orphan',
    `run() { drop=; for word; do shift; if [ -n "$drop" ]; then drop=; continue; fi; case "$word" in -p) drop=1;; *) set -- "$@" "$word";; esac; done; ${GIT} "$@" | tee "$GC_POINTS/orphan"; }`,
  )
  points.addFault(
    'continue',
    `run() { for word; do :; done; [ "$word" = "$(cat "$GC_POINTS/orphan" 2>/dev/null)" ] || ${GIT} "$@"; }`,
  )
  points.setFault('orphan', 'commit-tree')
  points.setFault('continue', 'merge-base', { always: true })
  await stage.submit()
  expect(await stage.judgeIn('landed')).toMatchObject({ lost: 1 })
  points.clear()
}, 120_000)

test('sees a late push that was given up while the target had not moved', async () => {
  const stage = await Stage.open('late')
  const before = git(stage.remote, ['rev-parse', 'main'])
  const tip = async () => git(stage.remote, ['rev-parse', 'main'])
  const arrives = async () => void (await eventually('the push arrives', WAIT_MS, tip, (is) => is !== before))
  await stage.crash(
    'mid push alone',
    (db) => {
      expect(git(stage.remote, ['rev-parse', 'main'])).toBe(before)
      forgetPush(db)
    },
    arrives,
  )
  expect(await stage.judgeIn('already')).toEqual({ unreported: 1 })
}, 120_000)

test('sees a commit that was made again after it was checked', async () => {
  const stage = await Stage.open('again')
  points.addFault(
    'again',
    `run() { for word; do shift; case "$word" in *:refs/heads/main) old=\${word%%:*}
word=$(${GIT} log -1 --format=%B "$old" | ${GIT} -c user.name=a -c user.email=a@b commit-tree "$old^{tree}" -p "$old^"):refs/heads/main;; esac; set -- "$@" "$word"; done; ${GIT} "$@"; }`,
  )
  points.setFault('again')
  await stage.submit()
  expect(await stage.judgeIn('already')).toEqual({ unreported: 1 })
}, 120_000)

test('sees other files than those of the branch when contents are not compared', async () => {
  const stage = await Stage.open('contents')
  points.addFault(
    'other files',
    `echo "$GIT_DIR" > "$GC_POINTS/yard"
run() { found=; for word; do shift; case "$word" in commit-tree) found=1;; *) if [ "$found" = 1 ]; then found=2
blob=$(echo other | ${GIT} hash-object -w --stdin); word=$( (${GIT} ls-tree "$word"; printf '100644 blob %s\\tother\\n' "$blob") | ${GIT} mktree); fi;; esac; set -- "$@" "$word"; done; ${GIT} "$@"; }`,
  )
  points.setFault('other files', 'commit-tree')
  await stage.crash('before push alone', (db) => {
    const members = db
      .query<{ parent: string; candidate: string }, []>('SELECT parent, candidate FROM landing_members')
      .all()
    const [{ parent, candidate } = { parent: '', candidate: '' }] = members
    db.run('UPDATE landing_members SET expected = ?', [
      digestOf(readFileSync(join(points.folder, 'yard'), 'utf8').trim(), parent, candidate),
    ])
  })
  expect(await stage.judgeIn('landed')).toEqual({ wrong: 1 })
}, 120_000)

function digestOf(yard: string, from: string, to: string): string {
  const lines = git(yard, ['diff-tree', '-r', '--raw', '--no-renames', '--no-abbrev', from, to]).split('\n')
  const changes = lines.map((line) => {
    const [facts = '', path = ''] = line.slice(1).split('\t')
    const [oldMode = '', newMode = '', oldBlob = '', newBlob = ''] = facts.split(' ')
    return { path, oldMode, newMode, oldBlob, newBlob }
  })
  return changesDigest(changes)
}

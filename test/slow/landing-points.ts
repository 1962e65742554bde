import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { git } from '../support/landings.ts'

/** Named points in what the queue runs, at which a test stops it. */

const GIT = Bun.which('git') ?? 'git'

/** The git commands that a landing is made of. */
const VERBS = [
  ...['ls-remote', 'fetch', 'push', 'commit-tree', 'merge-tree', 'update-ref', 'pack-objects', 'index-pack', 'config'],
  ...['rev-list', 'rev-parse', 'diff-tree', 'read-tree', 'clean', 'cat-file', 'log', 'merge-base', 'for-each-ref'],
  'ls-tree',
]

/**
 * The victims of a kill. `alone`: the supervisor, and git ends what it does. `group`: git as well. `late`: the
 * supervisor, and git continues once the next one runs. `host`: what runs the checks.
 */
export type Victims = 'alone' | 'group' | 'late' | 'host'

export const POINTS: readonly string[] = [
  ...VERBS.flatMap((verb) =>
    ['before', 'after'].flatMap((when) => ['alone', 'group'].map((how) => `${when} ${verb} ${how}`)),
  ),
  ...['push', 'update-ref', 'read-tree', 'commit-tree'].map((verb) => `before ${verb} late`),
  ...['alone', 'group', 'late'].map((how) => `mid push ${how}`),
  ...['alone', 'group', 'host'].map((how) => `mid check ${how}`),
  ...['alone', 'group'].map((how) => `any time ${how}`),
]

/** Waits at a point until the test has done there what it wants. */
const STRIKE = `strike() {
  mv "$GC_POINTS/plan" "$GC_POINTS/struck" 2>/dev/null || return 0
  while [ -e "$GC_POINTS/struck" ]; do sleep 0.01; done
}`

/** The point at which to stop, if there is one; a planned point is a line without an end. */
const READ_PLAN = `plan=
[ ! -e "$GC_POINTS/plan" ] || { read -r plan < "$GC_POINTS/plan"; } 2>/dev/null`

/**
 * git that stops at the point which the file \`plan\` names, and fails as the file \`fault\` says, once each. It starts no
 * program of its own where nothing is planned: the queue calls git often.
 */
const WRAPPER = `#!/bin/sh
verb=
skip=
for word in "$@"; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case "$word" in -c|-C) skip=1;; -*) ;; *) verb=$word; break;; esac
done
${STRIKE}
${READ_PLAN}
case "$plan" in "before $verb "*) strike;; esac
fault=
if [ -e "$GC_POINTS/fault-$verb" ]; then
  fault=$(cat "$GC_POINTS/fault-$verb")
  [ -e "$GC_POINTS/forever" ] || rm -f "$GC_POINTS/fault-$verb"
fi
run() { ${GIT} "$@"; }
if [ -n "$fault" ]; then . "$GC_POINTS/faults/$fault"
else case "$plan" in "after $verb "*) ;; *) exec ${GIT} "$@";; esac; fi
run "$@"
status=$?
case "$plan" in "after $verb "*) strike;; esac
exit $status
`

/** Faults, by name: each is a script that replaces how git is run. */
const FAULTS: Readonly<Record<string, string>> = {
  'answer lost': `run() { ${GIT} "$@" >/dev/null 2>&1; echo 'the connection was closed' >&2; return 128; }`,
  'yes and nothing': 'run() { return 0; }',
  refused: `run() { echo 'try again later' >&2; return 1; }`,
  late: `run() { (sleep 1.5; ${GIT} "$@") >/dev/null 2>&1 & echo 'timeout' >&2; return 128; }`,
  overtaken: `run() { env -i PATH="$PATH" sh "$GC_POINTS/person"; ${GIT} "$@"; }`,
}
export const PUSH_FAULTS: readonly string[] = Object.keys(FAULTS)

/** A person who pushes a commit, whatever happens, and notes it. */
const PERSON = `cd "$1" || exit 1
while :; do
  old=$(${GIT} rev-parse main)
  blob=$(echo "$old" | ${GIT} hash-object -w --stdin)
  tree=$( (${GIT} ls-tree main; printf '100644 blob %s\\tperson-%s\\n' "$blob" "$old") | ${GIT} mktree)
  new=$(${GIT} -c user.name=p -c user.email=p@q commit-tree -p "$old" -m person "$tree")
  if ${GIT} update-ref refs/heads/main "$new" "$old" 2>/dev/null; then echo "$new" >> persons; break; fi
done
`

/** The remote notes every push, and may stop within one; it continues when its client is gone. */
const UPDATE = `#!/bin/sh
${STRIKE}
${READ_PLAN}
case "$plan" in "mid push "*) strike;; esac
exit 0
`

const hook = (remote: string, name: string, text: string): void => {
  writeFileSync(join(remote, 'hooks', name), text)
  chmodSync(join(remote, 'hooks', name), 0o755)
}

/** A folder that names where to stop. Confined programs can write there. */
export class Points implements Disposable {
  readonly folder = mkdtempSync('/dev/shm/gc-points-')

  constructor() {
    for (const name of ['bin', 'faults']) mkdirSync(join(this.folder, name))
    this.#program('bin/git', WRAPPER)
    for (const [name, text] of Object.entries(FAULTS)) this.addFault(name, text)
  }

  /** Variables of a supervisor that uses this git. */
  get env(): Record<string, string> {
    return { PATH: `${join(this.folder, 'bin')}:${process.env.PATH}`, GC_POINTS: this.folder }
  }

  /** A check that stops in the middle, and fails where there is a file that breaks it. */
  get check(): string {
    const script = `GC_POINTS=${this.folder}\n${STRIKE}\n${READ_PLAN}\ncase "$plan" in "mid check "*) strike;; esac\n`
    return `${script}! ls broken* >/dev/null 2>&1`
  }

  addFault(name: string, text: string): void {
    writeFileSync(join(this.folder, 'faults', name), text)
  }

  /** Has the next command of a kind fail, or all of them. */
  setFault(name: string, verb = 'push', { always = false } = {}): void {
    writeFileSync(join(this.folder, `fault-${verb}`), name)
    if (always) writeFileSync(join(this.folder, 'forever'), '')
  }

  /** Takes back all that was set, and what faults left. */
  clear(): void {
    const kept = ['bin', 'faults', 'person']
    for (const name of readdirSync(this.folder).filter((each) => !kept.includes(each))) rmSync(join(this.folder, name))
  }

  set plan(point: string | undefined) {
    if (point === undefined) rmSync(join(this.folder, 'plan'), { force: true })
    else writeFileSync(join(this.folder, 'plan'), point)
  }

  get isStruck(): boolean {
    return existsSync(join(this.folder, 'struck'))
  }

  /** Lets continue what waits at the point. */
  release(): void {
    rmSync(join(this.folder, 'struck'), { force: true })
  }

  /** Has a remote note who pushes, and stop where that is planned. */
  watch(remote: string): void {
    mkdirSync(join(remote, 'hooks'), { recursive: true })
    hook(remote, 'update', UPDATE)
    hook(remote, 'post-receive', '#!/bin/sh\ncat >> moves\n')
    this.#program('person', `set -- ${remote}\n${PERSON}`)
  }

  pushAsPerson(): void {
    Bun.spawnSync(['sh', join(this.folder, 'person')])
  }

  personsOf(remote: string): string[] {
    const file = join(remote, 'persons')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }

  #program(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text)
    chmodSync(join(this.folder, name), 0o755)
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A rig with some files that its branches share, and its remote. */
export function makeRig(folder: string, points: Points): { rig: string; remote: string } {
  const [rig, remote] = [join(folder, 'shop'), join(folder, 'remote.git')]
  git(folder, ['init', '-q', '--bare', '-b', 'main', remote])
  git(folder, ['init', '-q', '-b', 'main', rig])
  for (let n = 0; n < 3; n++) writeFileSync(join(rig, `shared-${n}`), '1\n2\n3\n')
  git(rig, ['add', '-A'])
  git(rig, ['commit', '-q', '-m', 'base'])
  git(rig, ['remote', 'add', 'origin', remote])
  git(rig, ['push', '-q', 'origin', 'main'])
  points.watch(remote)
  return { rig, remote }
}

/** A text of a process; empty once it has ended. */
const textOf = (pid: number, name: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
const isHost = (pid: number): boolean => ` ${textOf(pid, 'cmdline')} `.includes(' host ')

/** The threads of a process; none once it has ended. */
const tasksOf = (pid: number): string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Programs of a process, without the session host and the stand-in for a remote's server. */
function programsOf(pid: number): number[] {
  const children = tasksOf(pid).flatMap((task) =>
    textOf(pid, `task/${task}/children`).trim().split(' ').filter(Boolean).map(Number),
  )
  const own = children.filter((child) => !isHost(child) && !textOf(child, 'cmdline').includes('receive-pack'))
  return own.flatMap((child) => [child, ...programsOf(child)])
}

/** Kills a supervisor with all git that it runs. */
export function killGroup(supervisor: number): void {
  const programs = programsOf(supervisor)
  for (const pid of [supervisor, ...programs]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

/** Kills the session host that serves a home. */
export function killHost(home: string): void {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  for (const pid of pids.map(Number)) {
    if (isHost(pid) && textOf(pid, 'environ').includes(`GC_HOME=${home} `)) process.kill(pid, 'SIGKILL')
  }
}

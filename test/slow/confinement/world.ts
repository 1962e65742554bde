import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type TempFolder, tempFolder } from '../../support/folder.ts'
import { type Failing, withoutCalls } from '../../support/without-calls.ts'

/** The user whose program the attempts are; root can open any file. */
const NOBODY = 65534
const ROOT = process.getuid?.() === 0
const STEP_DOWN = ROOT ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []

/** Files outside of the folder of the attempts, `work`. */
const FILES = [
  ...['file', 'move-me', 'over-me', 'exchange-me', 'remove-me', 'raced', 'attributed'].map((name) => `out/${name}`),
  ...['sibling/source', 'gc-home/supervisor.toml', 'gc-home/operator.token'],
  ...['.profile', '.npm/_cacache/index', '.cache/pip/wheel', '.cache/go-build/entry', '.cargo/registry/index'].map(
    (name) => `home/${name}`,
  ),
  ...['.cargo/config.toml', '.config/pip/pip.conf', '.config/git/config'].map((name) => `home/${name}`),
  ...['.bashrc', '.gitconfig', '.netrc', '.npmrc', '.ssh/id_ed25519', '.aws/credentials', '.config/gh/hosts.yml'].map(
    (name) => `home/${name}`,
  ),
]
const PROGRAMS = ['out/program', 'home/.local/bin/tool', 'gc-home/bin/gc']
const FOLDERS = [
  'work',
  'tmp',
  'out/empty',
  'home/.claude',
  'home/.config/systemd/user',
  'home/.config/autostart',
  'home/.gnupg',
  'run/systemd',
]

/** Makes what the attempts are aimed at, and compiles them. */
export async function openWorld(): Promise<AttemptWorld> {
  const folder = tempFolder()
  for (const name of FOLDERS) mkdirSync(folder.at(name), { recursive: true })
  for (const name of [...FILES, ...PROGRAMS]) {
    mkdirSync(join(folder.at(name), '..'), { recursive: true })
    writeFileSync(folder.at(name), PROGRAMS.includes(name) ? '#!/bin/sh\n' : 'secret')
    chmodSync(folder.at(name), PROGRAMS.includes(name) ? 0o700 : 0o600)
  }
  must(['git', 'init', '--quiet', folder.at('sibling')])
  must(['sh', '-c', 'setfattr -n user.kept -v x "$1" 2>/dev/null || true', 'sh', folder.at('out/attributed')])
  const sources = readdirSync(import.meta.dir).filter((name) => name.endsWith('.c'))
  const built = sources.map((name) => join(import.meta.dir, name))
  must(['cc', '-O1', '-Wall', '-Wextra', '-o', folder.at('attempts'), ...built, '-lpthread', '-lrt'])
  if (ROOT) giveAway(folder.path)
  const sibling = Bun.spawn([...STEP_DOWN, folder.at('attempts'), 'sibling'], {
    env: { WORLD: folder.path, KEPT: 'secret' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const variables = await readVariables(sibling.stdout)
  const running = { url: `http://127.0.0.1:${variables.PORT_RESERVED}`, pid: sibling.pid }
  writeFileSync(folder.at('gc-home/supervisor.json'), JSON.stringify(running))
  if (ROOT) {
    giveAway(folder.path)
    // The user cannot see whether there are credentials in it.
    mkdirSync(folder.at('home/.npm-global'))
    mkdirSync(folder.at('home/.npm-global/etc'), { mode: 0o700 })
  }
  return new AttemptWorld(folder, sibling, variables)
}

export class AttemptWorld implements AsyncDisposable {
  constructor(
    readonly folder: TempFolder,
    private readonly sibling: Bun.Subprocess<'pipe', 'pipe', 'inherit'>,
    private readonly variables: Record<string, string>,
  ) {}

  /**
   * Makes all attempts with `gc confine`, or as the program of a user that they are, on a system that forbids calls to both;
   * answers each one's outcome.
   */
  async attempt({ confined, failing = [] }: { confined: boolean; failing?: Failing[] }): Promise<Map<string, string>> {
    const { folder } = this
    const own = this.#copyOfGc()
    const gc = confined ? [own, 'confine', '--port', this.variables.PORT_ALLOWED ?? '', '--'] : []
    const system = failing.length > 0 ? withoutCalls(failing) : []
    const child = Bun.spawn([...system, ...STEP_DOWN, ...gc, folder.at('attempts')], {
      cwd: folder.at('work'),
      env: { ...this.#env(), ...(!confined && { UNCONFINED: '1' }) },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    })
    const [out] = await Promise.all([child.stdout.text(), child.stderr.text()])
    return new Map(out.split('\n').flatMap((line) => (line ? [splitOnce(line, ' ')] : [])))
  }

  #env(): Record<string, string> {
    const { path } = this.folder
    const places = { HOME: join(path, 'home'), GC_HOME: join(path, 'gc-home'), TMPDIR: join(path, 'tmp') }
    return { ...this.variables, ...places, WORLD: path, PATH: process.env.PATH ?? '' }
  }

  /** The checkout may be inaccessible to the other user. */
  #copyOfGc(): string {
    const copy = this.folder.at('gc')
    copyFileSync(resolve(process.env.GC_BINARY ?? 'dist/gc'), copy)
    chmodSync(copy, 0o755)
    if (ROOT) chownSync(copy, NOBODY, NOBODY)
    return copy
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.sibling.stdin.end()
    await this.sibling.exited
    this.folder[Symbol.dispose]()
  }
}

/** Reads lines `NAME=value` up to an empty one. */
async function readVariables(stream: ReadableStream<Uint8Array>): Promise<Record<string, string>> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const part of stream) {
    text += decoder.decode(part)
    if (text.endsWith('\n\n'))
      return Object.fromEntries(
        text
          .trim()
          .split('\n')
          .map((line) => splitOnce(line, '=')),
      )
  }
  throw new Error('the program that attempts are aimed at did not start')
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by)
  return [text.slice(0, at), text.slice(at + 1)]
}

function giveAway(path: string): void {
  for (const name of ['', ...readdirSync(path, { recursive: true, encoding: 'utf8' })]) {
    chownSync(join(path, name), NOBODY, NOBODY)
  }
}

function must(argv: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(argv)
  if (exitCode !== 0) throw new Error(`${argv[0]} failed: ${stderr}`)
}

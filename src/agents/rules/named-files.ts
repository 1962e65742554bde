import { lstatSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, normalize, resolve, sep } from 'node:path'
import { sha256 } from '../../core/digest.ts'
import { realPath } from '../../core/folders.ts'
import { readPlainFile } from '../../core/plain-file.ts'
import { argumentsOf } from './rule.ts'

/** A file that decides what a command does. */
export interface NamedFile {
  readonly name: string
  readonly path: string
  /** `absent`, `folder`, `sha256:…`; `link` and `large` are states that no one can review. */
  readonly state: string
  readonly text: string | undefined
}

const MAX_BYTES = 1 << 20

/** The files that tell programs what to run. */
const MANIFESTS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['npm', 'npx', 'pnpm', 'yarn', 'bun', 'bunx'].map((name) => [name, ['package.json', '.npmrc']]),
  ),
  ...Object.fromEntries(['make', 'gmake'].map((name) => [name, ['GNUmakefile', 'makefile', 'Makefile']])),
  ...Object.fromEntries(
    ['pytest', 'tox', 'nox', 'uv', 'poetry', 'python', 'python3', 'pip'].map((name) => [
      name,
      ['pyproject.toml', 'setup.py', 'setup.cfg', 'tox.ini', 'pytest.ini', 'noxfile.py', 'conftest.py'],
    ]),
  ),
  cargo: ['Cargo.toml', 'build.rs', '.cargo/config.toml'],
  go: ['go.mod'],
  just: ['justfile', 'Justfile', '.justfile'],
  rake: ['Rakefile', 'rakefile'],
  bundle: ['Gemfile'],
  composer: ['composer.json'],
  mvn: ['pom.xml'],
  gradle: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
  gradlew: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
  deno: ['deno.json', 'deno.jsonc'],
}

/** The scripts and manifests that a command line names, as they are in a folder. */
export function namedFiles(line: string, folder: string): NamedFile[] {
  const words = (argumentsOf(line) ?? line.split(/[\s;|&<>()'"`]+/)).filter((word) => word !== '')
  const [program = ''] = words
  const named = words.flatMap((word) => [word, ...word.split('=').slice(1)]).filter((word) => !word.startsWith('-'))
  const names = [...new Set([...(MANIFESTS[basename(program)] ?? []), ...named])]
  return names.map((name) => fileAt(name, resolve(folder, name)))
}

function fileAt(name: string, path: string): NamedFile {
  const state = (state: string, text?: string): NamedFile => ({ name, path, state, text })
  if (linkIn(path) !== undefined) return state('link')
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return state('absent')
  if (stats.isDirectory()) return state('folder')
  const bytes = stats.isFile() ? readPlainFile(path, MAX_BYTES) : undefined
  return bytes ? state(`sha256:${sha256(bytes)}`, bytes.toString()) : state('large')
}

/** Stored form of a reviewed file state. */
export const reviewOf = ({ name, state }: Pick<NamedFile, 'name' | 'state'>): string => `${name} ${state}`

/** True if a person can have seen what decides. */
export const isReviewable = ({ state }: NamedFile): boolean => state !== 'link' && state !== 'large'

/** The first symbolic link on the way to a path; undefined when there is none. */
export function linkIn(path: string): string | undefined {
  const parts = path.split(sep)
  for (let end = 2; end <= parts.length; end++) {
    const at = parts.slice(0, end).join(sep) || sep
    try {
      if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return at
    } catch {
      return undefined
    }
  }
  return undefined
}

/** Folders with which programs, git and gc are configured: no rule for a folder above them reaches in. */
const PROTECTED: ReadonlySet<string> = new Set(['.git', '.gc', '.claude', '.codex', '.gemini', '.opencode', '.husky'])

/**
 * True if a rule for a file or folder allows a path: both absolute, as they are written, and without links. The folder
 * of the session itself may be reached by a link, since a person chose it.
 */
export function allowsPath(value: string, given: string, folder: string): boolean {
  const real = realPath(folder)
  const path = given.startsWith(`${folder}${sep}`) ? `${real}${given.slice(folder.length)}` : given
  const allowed = resolve(real, value)
  if (!isAbsolute(path) || normalize(path) !== path || linkIn(path) !== undefined || linkIn(allowed) !== undefined)
    return false
  if (path === allowed) return true
  const below = path.startsWith(allowed === sep ? sep : `${allowed}${sep}`) ? path.slice(allowed.length) : undefined
  return below !== undefined && !below.split(sep).some((part) => PROTECTED.has(part.toLowerCase()))
}

/** Target of a path that goes through a link. */
export const placeOf = (path: string): string => realPath(join(dirname(path), basename(path)))

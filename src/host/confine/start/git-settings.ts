import { existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { linkTarget, readText } from '../../../core/files.ts'
import { realPath } from '../../../core/folders.ts'

/** Paths of a person's git settings, below home. */
const OWN = ['.gitconfig', '.config/git/config'] as const
/** Files that git reads beside its settings in that folder. */
const BESIDE = ['.config/git/ignore', '.config/git/attributes']
/** Keys whose value is the path of a file that git reads with every command; without an included one it fails. */
const NAMING = /^(?:include|includeif)\.path$|^core\.(?:excludesfile|attributesfile)$/
const MAX_NAMED = 50

/**
 * The files with a person's settings of git, and those that these name. What an included file includes is not followed, nor
 * are links on the way to one: in a project an agent may have put them there.
 */
export function gitSettings(home: string): string[] {
  const own = OWN.map((name) => join(home, name))
  const named = own.flatMap((path) => filesNamedIn(path, home)).slice(0, MAX_NAMED)
  return [...own, ...BESIDE.map((name) => join(home, name)), ...named]
}

/** Paths of git settings of a person with another configuration folder. */
export const gitLinks = (home: string): { path: string; to: string }[] =>
  [OWN[1], ...BESIDE].map((name) => ({ path: name.replace(/^\.config\//, ''), to: join(home, name) }))

/** True if a person has settings of git: where there are none, a program makes its own. */
export const hasGitSettings = (home: string): boolean => OWN.some((name) => existsSync(join(home, name)))

const NO_SSH =
  'gc: a confined session has no SSH; use the https address of the repository, or confine = "network" with read of the keys'

/**
 * Git settings of a sandboxed session, unless its environment has them. Signing is off, since the keys are not
 * available, and SSH reaches no host.
 */
export function gitVariables(
  env: Readonly<Record<string, string | undefined>>,
  network: 'session' | 'open',
): Record<string, string> {
  const unsigned = { GIT_CONFIG_COUNT: '2', ...pair(0, 'commit.gpgSign'), ...pair(1, 'tag.gpgSign') }
  const refusing = { GIT_SSH_COMMAND: `echo '${NO_SSH}' >&2; exit 255 #`, GIT_SSH_VARIANT: 'simple' }
  const isSaid = env.GIT_SSH_COMMAND !== undefined || env.GIT_SSH !== undefined
  return {
    // Helpers have no credentials here, and nobody answers at the terminal of an agent.
    ...(env.GIT_TERMINAL_PROMPT === undefined && { GIT_TERMINAL_PROMPT: '0' }),
    ...(env.GIT_CONFIG_COUNT === undefined && unsigned),
    ...(network === 'session' && !isSaid && refusing),
  }
}

const pair = (index: number, key: string): Record<string, string> => ({
  [`GIT_CONFIG_KEY_${index}`]: key,
  [`GIT_CONFIG_VALUE_${index}`]: 'false',
})

function filesNamedIn(path: string, home: string): string[] {
  let section = ''
  return (readText(path) ?? '').split('\n').flatMap((line) => {
    const [, name, rest = line] = /^\s*\[\s*([\w.-]+)[^\]]*\](.*)$/.exec(line) ?? []
    section = name?.toLowerCase() ?? section
    const [, key = '', value = ''] = /^\s*(\w+)\s*=\s*(.*)$/.exec(rest) ?? []
    const text = withoutQuotes(value)
    if (text === '' || !NAMING.test(`${section}.${key.toLowerCase()}`)) return []
    const named = placeOf(text, { home, beside: dirname(path) })
    return statSync(named, { throwIfNoEntry: false })?.isFile() && isFixed(named, home) ? [named] : []
  })
}

/** True if the way to a file has no link in it but one in home itself, where no agent writes. */
function isFixed(path: string, home: string): boolean {
  const [first = '', ...rest] = isBelow(path, home) ? path.slice(home.length + 1).split('/') : []
  const to = first === '' ? undefined : linkTarget(join(home, first))
  const place = to === undefined ? path : join(resolve(home, to), ...rest)
  return realPath(place) === (isBelow(place, home) ? join(realPath(home), place.slice(home.length)) : place)
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`)

/** A value as it was meant: quoted or not, without a comment behind it. */
const withoutQuotes = (value: string): string =>
  /^"((?:[^"\\]|\\.)*)"/.exec(value)?.[1]?.replace(/\\(.)/g, '$1') ?? value.replace(/\s+[#;].*$/, '').trim()

function placeOf(text: string, { home, beside }: { home: string; beside: string }): string {
  if (text.startsWith('~/')) return join(home, text.slice(2))
  return isAbsolute(text) ? resolve(text) : join(beside, text)
}

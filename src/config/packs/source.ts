import { posix } from 'node:path'

/** A pack in a git repository: what is cloned, and the folder in it. */
export interface GitPackSource {
  readonly kind: 'git'
  /** The address that is cloned, without folder and reference. */
  readonly url: string
  /** The folder of the pack in the repository; empty for its root. */
  readonly subpath: string
  /** Branch or tag named in the address. It selects no version: the lock does. */
  readonly reference?: string
}

/** A pack in a folder, as written: absolute, or from the folder of the file that names it. */
export interface LocalPackSource {
  readonly kind: 'local'
  readonly path: string
}

/** Error for an invalid source, with the reason. */
export interface InvalidPackSource {
  readonly kind: 'invalid'
  readonly reason: string
}

export type PackSource = GitPackSource | LocalPackSource | InvalidPackSource

const MAX_SOURCE_LENGTH = 2048
const REMOTE = /^(?:git@|ssh:\/\/|https?:\/\/|file:\/\/|github\.com\/)/
const GITHUB_PAGE = /^(https?:\/\/github\.com\/[^/]+\/[^/]+?)(?:\.git)?\/(tree|blob)\/([^/]+)(?:\/(.*))?$/

/** Reads the `source` of an import in any of the forms that packs use. */
export function parsePackSource(text: string): PackSource {
  const source = text.trim()
  if (source === '') return invalid('is empty; name a folder or the address of a repository')
  if (source.length > MAX_SOURCE_LENGTH) return invalid(`is longer than ${MAX_SOURCE_LENGTH} characters`)
  if (/\p{Cc}/u.test(source)) return invalid('holds control characters')
  if (!REMOTE.test(source)) return { kind: 'local', path: source }
  const address = source.startsWith('github.com/') ? `https://${source}` : source
  const [whole, reference] = splitOnce(address, '#')
  const parsed = parseGitHubPage(whole) ?? parseAddress(whole)
  return parsed.kind === 'git' && reference ? { ...parsed, reference } : parsed
}

function parseAddress(address: string): GitPackSource | InvalidPackSource {
  const scheme = address.indexOf('://')
  const from = scheme < 0 ? 0 : scheme + 3
  // `file:///srv/x` has an empty host: its third slash begins the path.
  const separator = address.indexOf('//', address.startsWith('file:///') ? from + 1 : from)
  if (separator < 0) return toGitSource(address, '')
  return toGitSource(address.slice(0, separator), address.slice(separator + 2))
}

/** `https://github.com/<owner>/<repository>/tree/<reference>/<folder>`, and the page of a pack.toml. */
function parseGitHubPage(address: string): GitPackSource | InvalidPackSource | undefined {
  const [, repository, kind, reference, path = ''] = GITHUB_PAGE.exec(address) ?? []
  if (repository === undefined || reference === undefined) return undefined
  const folder = kind === 'blob' ? path.replace(/(^|\/)pack\.toml$/, '') : path
  const source = toGitSource(`${repository}.git`, folder)
  return source.kind === 'git' ? { ...source, reference } : source
}

function toGitSource(url: string, folder: string): GitPackSource | InvalidPackSource {
  const subpath = folder === '' ? '' : posix.normalize(folder).replace(/^\/+|\/+$/g, '')
  if (subpath === '..' || subpath.startsWith('../')) return invalid('names a folder outside its repository')
  const address = url.replace(/\/+$/, '')
  if (/^(git@|[a-z]+:\/*)?$/.test(address)) return invalid('names no repository')
  return { kind: 'git', url: address, subpath: subpath === '.' ? '' : subpath }
}

const invalid = (reason: string): InvalidPackSource => ({ kind: 'invalid', reason })

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}

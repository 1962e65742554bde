import { join } from 'node:path'
import { parseRemote } from '../git/remote.ts'
import { readText } from '../git/repository-folders.ts'

/** Where many keep their repositories, with the other hosts that fetches and their tools need there. */
const FORGES: Readonly<Record<string, readonly string[]>> = {
  'github.com': ['api.github.com', 'codeload.github.com', '*.githubusercontent.com'],
  'gitlab.com': [],
  'bitbucket.org': [],
  'codeberg.org': [],
}

/**
 * The hosts that the remotes of a repository name. Where sessions can write its settings (`isOpen`), they count only when
 * they are well known: a session must not let itself out by a line in them.
 */
export function gitHosts(repository: string, isOpen: boolean): string[] {
  const named = remotesOf(repository).flatMap((url) => {
    const remote = parseRemote(url)
    if (!remote) return []
    const port = /^https?:/.test(remote.url) ? new URL(remote.url).port : ''
    return [port ? `${remote.host}:${port}` : remote.host]
  })
  const known = named.filter((host) => !isOpen || Object.hasOwn(FORGES, host))
  return [...new Set(known.flatMap((host) => [host, ...(FORGES[host] ?? [])]))]
}

function remotesOf(repository: string): string[] {
  const text = readText(join(repository, '.git', 'config')) ?? ''
  return [...text.matchAll(/^\s*url\s*=\s*(\S+)\s*$/gm)].map(([, url = '']) => url)
}

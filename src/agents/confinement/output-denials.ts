import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Access } from '../../config/confinement/index.ts'
import { contains } from '../../core/folders.ts'

/** A path that a program said it has no permission for. */
export interface OutputDenial {
  readonly path: string
  /** Requested access, as far as the message names it. */
  readonly access: Access
}

/** The paths outside of its folder that a program said it has no permission for, the last first. */
export function saidRefusals(output: string, folder: string): OutputDenial[] {
  const found = output.split('\n').flatMap((line): OutputDenial[] => {
    if (!/permission denied/i.test(line)) return []
    const path = placeOf(namedIn(line), folder)
    if (path === undefined || contains(folder, path)) return []
    return [{ path, access: CHANGES.test(line) ? 'write' : 'read' }]
  })
  return found.reverse()
}

/** A host that a program said it could not look up, as a confined one never can; the last of them. */
export function saidUnresolved(output: string): string | undefined {
  return output
    .split('\n')
    .flatMap((line) => LOOKED_UP.flatMap((pattern) => pattern.exec(line)?.[1] ?? []))
    .at(-1)
}

/** As curl and SSH say it, Node, Go, and Python. */
const LOOKED_UP = [
  /could not resolve host(?:name)?:? ['"]?([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/i,
  /getaddrinfo (?:EAI_AGAIN|ENOTFOUND) ([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/,
  /\blookup ([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)(?: on \S+)?: /,
  /failed to resolve ['"]([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)['"]/i,
]

/** Words by which a program reports an attempted change. */
const CHANGES =
  /\b(create|creating|write|writing|mkdir|touch|tee|cp|mv|rm|remove|unlink|rename|delete|truncate|chmod)\b/i
const QUOTED = /['"‘`]((?:~?\/|\.\.?\/)[^'"’`]+)['"’`]/
/** A word before the colon of `cat: /srv/file: Permission denied`. */
const BARE = /(?:^|\s)((?:~?\/|\.\.?\/)[^\s:]*):? *permission denied/i

const namedIn = (line: string): string => (QUOTED.exec(line) ?? BARE.exec(line))?.[1] ?? ''

function placeOf(named: string, folder: string): string | undefined {
  if (named === '') return undefined
  if (named.startsWith('~/')) return join(homedir(), named.slice(1))
  return isAbsolute(named) ? resolve(named) : resolve(folder, named)
}

import { createHash } from 'node:crypto'
import { isAbsolute, join, normalize } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { requestId } from '../../core/ids.ts'
import { parseRemote, type Remote } from '../git/remote.ts'
import type { RigCreate } from './schema.ts'

/** A repository that is to become a rig. */
export interface CloneRequest {
  readonly requestId: string
  readonly rig: string
  /** Where the clone goes, from the city. */
  readonly path: string
  readonly remote: Remote
  readonly prefix?: string
  readonly defaultBranch?: string
  /** What was asked for, without credentials and without the request's id. */
  readonly digest: string
}

const bad = (message: string): AppError => new AppError('invalid-request', message)

/** Reads what was asked for; refuses what cannot be cloned, before anything is done. */
export function parseCloneRequest(body: RigCreate & { git_url: string }): CloneRequest {
  const rig = body.name.trim()
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(rig) || isLiteral(rig)) {
    throw bad(`"${rig}" cannot name a cloned rig: use up to 64 letters, digits, ".", "-" and "_", not a bare number`)
  }
  const remote = parseRemote(body.git_url.trim())
  if (!remote) throw bad('git_url must be the address of a repository: https://…, ssh://… or git@host:path')
  const path = placeOf(body.path?.trim() || join('rigs', rig))
  const prefix = body.prefix?.trim() || undefined
  const defaultBranch = body.default_branch?.trim() || undefined
  const asked = JSON.stringify([rig, path, prefix ?? '', defaultBranch ?? '', remote.url])
  return {
    ...{ requestId: idOf(body.request_id), rig, path, remote, prefix, defaultBranch },
    digest: createHash('sha256').update(asked).digest('hex'),
  }
}

function idOf(given: string | undefined): string {
  if (!given) return requestId()
  if (/^[A-Za-z0-9._~:-]{8,200}$/.test(given) && !isLiteral(given)) return given
  throw bad(
    'request_id must have 8 to 200 letters, digits, ".", "_", "~", ":" or "-", and not be a bare number or word of JSON',
  )
}

/** What JSON reads as a value of its own: a program that writes it without quotes would mean another thing. */
function isLiteral(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function placeOf(path: string): string {
  if (path.includes('\0')) throw bad('path cannot hold a NUL')
  const at = normalize(path)
  if (isAbsolute(path)) throw bad('path must be relative with git_url: the clone goes into the city')
  if (at === '.' || at.startsWith('..') || /^\.gc(\/|$)/.test(at))
    throw bad(`${path} is not a place for a clone in the city`)
  return at.replace(/\/+$/, '')
}

import { createHash } from 'node:crypto'
import { isAbsolute, join, normalize } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { createRequestId } from '../../core/ids.ts'
import { parseRemote, type Remote } from '../git/remote.ts'
import type { RigCreate } from './schema.ts'

/** A request to clone a repository and make it a rig. */
export interface CloneRequest {
  readonly requestId: string
  readonly rig: string
  /** Where the clone goes, from the city. */
  readonly path: string
  readonly remote: Remote
  readonly prefix?: string
  readonly defaultBranch?: string
  /** A hash of the request without its credentials and its id. */
  readonly digest: string
}

const invalid = (message: string): AppError => new AppError('invalid-request', message)

/** Parses a request; throws when it cannot be cloned, before anything is done. */
export function parseCloneRequest(body: RigCreate & { git_url: string }): CloneRequest {
  const rig = body.name.trim()
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(rig) || isLiteral(rig)) {
    throw invalid(
      `"${rig}" cannot name a cloned rig: use up to 64 letters, digits, ".", "-" and "_", not a bare number`,
    )
  }
  const remote = parseRemote(body.git_url.trim())
  if (!remote) throw invalid('git_url must be the address of a repository: https://…, ssh://… or git@host:path')
  const path = parsePath(body.path?.trim() || join('rigs', rig))
  const prefix = body.prefix?.trim() || undefined
  const defaultBranch = body.default_branch?.trim() || undefined
  const identity = JSON.stringify([rig, path, prefix ?? '', defaultBranch ?? '', remote.url])
  return {
    ...{ requestId: parseRequestId(body.request_id), rig, path, remote, prefix, defaultBranch },
    digest: createHash('sha256').update(identity).digest('hex'),
  }
}

function parseRequestId(requested: string | undefined): string {
  if (!requested) return createRequestId()
  if (/^[A-Za-z0-9._~:-]{8,200}$/.test(requested) && !isLiteral(requested)) return requested
  throw invalid(
    'request_id must have 8 to 200 letters, digits, ".", "_", "~", ":" or "-", and not be a bare number or word of JSON',
  )
}

/** Whether JSON reads a string as a value of its own, so that a program that omits the quotes would change it. */
function isLiteral(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function parsePath(path: string): string {
  if (path.includes('\0')) throw invalid('path cannot hold a NUL')
  const normalized = normalize(path)
  if (isAbsolute(path)) throw invalid('path must be relative with git_url: the clone goes into the city')
  if (normalized === '.' || normalized.startsWith('..') || /^\.gc(\/|$)/.test(normalized)) {
    throw invalid(`${path} is not a folder in the city that a clone can go to`)
  }
  return normalized.replace(/\/+$/, '')
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { realPath } from './folders.ts'
import { oncePerTick } from './once-per-tick.ts'

/** A part of a file system, `root`, that is seen at a folder, `point`. */
interface Mount {
  readonly device: string
  readonly root: string
  readonly point: string
}

/**
 * Every path by which a file or folder, or something in it, is reached: the given one, the one behind its links, and on Linux
 * those of bind mounts of it, of a folder around it and of a part of it.
 */
export function aliasesOf(path: string): string[] {
  const real = realPath(path)
  return [...new Set([path, real, ...boundPaths(real, readMounts('self'))])]
}

/** The paths of one without links by the mounts of the same file system. */
export function boundPaths(path: string, mounts: readonly Mount[]): string[] {
  // Of two mounts at one folder the later one is seen.
  const own = mounts.filter(({ point }) => below(point, path) !== undefined).reduce(deeper, undefined)
  if (!own) return []
  const inside = join(own.root, below(own.point, path) ?? '')
  return mounts
    .filter(({ device }) => device === own.device)
    .flatMap(({ root, point }) => {
      const rest = below(root, inside)
      if (rest !== undefined) return [rest === '' ? point : join(point, rest)]
      return below(inside, root) === undefined ? [] : [point]
    })
}

const deeper = (best: Mount | undefined, next: Mount): Mount =>
  best !== undefined && best.point.length > next.point.length ? best : next

/** The rest of a path that is a folder, then empty, or is in it; undefined for every other. */
function below(folder: string, path: string): string | undefined {
  if (path === folder) return ''
  const start = folder.endsWith('/') ? folder : `${folder}/`
  return path.startsWith(start) ? path.slice(start.length) : undefined
}

/** The mounts that a process sees, by `proc_pid_mountinfo(5)`; none where the system lists none. */
const readMounts = oncePerTick((process: 'self'): readonly Mount[] => {
  try {
    return parseMounts(readFileSync(`/proc/${process}/mountinfo`, 'utf8'))
  } catch {
    return []
  }
})

export const parseMounts = (text: string): Mount[] =>
  text.split('\n').flatMap((line) => {
    const [, , device, root, point] = line.split(' ')
    return device && root && point ? [{ device, root: unescaped(root), point: unescaped(point) }] : []
  })

/** Blanks and the like are written as octal numbers. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

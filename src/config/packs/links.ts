import { readlinkSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'

/** The first of these links, named from a folder, that leads out of the folder; undefined when none does. */
export function findLeavingLink(folder: string, links: readonly string[]): string | undefined {
  const root = realpathSync(folder)
  return links.find((link) => leaves(root, join(root, link)))
}

function leaves(root: string, link: string): boolean {
  const target = readlinkSync(link)
  if (isAbsolute(target)) return true
  try {
    return !isInside(root, realpathSync(link))
  } catch {
    // It leads nowhere yet: where it would lead must be plain from its words alone.
    const climbsBack = /[^./][^/]*\/(?:.*\/)?\.\.(?:\/|$)/.test(target)
    return climbsBack || !isInside(root, resolve(dirname(link), target))
  }
}

/** True if a path is a folder or lies below it. */
export function isInside(folder: string, path: string): boolean {
  const from = relative(folder, path)
  return from !== '..' && !from.startsWith('../') && !isAbsolute(from)
}

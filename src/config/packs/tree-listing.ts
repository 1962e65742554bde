/** Limits of a commit's tree. */
export interface TreeLimits {
  readonly files: number
  readonly bytes: number
}

export const TREE_LIMITS: TreeLimits = { files: 200_000, bytes: 1024 * 1024 * 1024 }

/** Verdict on the listing of a tree: links to check after checkout, or the reason it is rejected. */
export type TreeVerdict = { readonly links: readonly string[] } | { readonly reason: string }

const ENTRY = /^(\d{6}) (\w+) [0-9a-f]+ +(-|\d+)\t([\s\S]+)$/
const LINK = '120000'

/** Judges `git ls-tree -r -l -z`, before a single file of it is written. */
export function judgeTree(listing: string, limits: TreeLimits = TREE_LIMITS): TreeVerdict {
  const links: string[] = []
  let files = 0
  let bytes = 0
  for (const line of listing.split('\0')) {
    if (line === '') continue
    const [, mode, type, size = '0', name = ''] = ENTRY.exec(line) ?? []
    if (mode === undefined) return { reason: 'git lists it in a way that gc does not read' }
    if (/\p{Cc}|\uFFFD/u.test(name)) return { reason: `the name ${JSON.stringify(name)} holds control characters` }
    // A submodule is not fetched: it is an empty folder.
    if (type === 'commit') continue
    files++
    bytes += size === '-' ? 0 : Number(size)
    if (files > limits.files) return { reason: `it holds more than ${limits.files} files` }
    if (bytes > limits.bytes) return { reason: `its files are larger than ${describeBytes(limits.bytes)}` }
    if (mode === LINK) links.push(name)
  }
  return { links }
}

export const describeBytes = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${Math.round(bytes / 1024 / 1024)} MB` : `${Math.round(bytes / 1024)} KB`

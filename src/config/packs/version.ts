/** A version of a pack: major, minor, patch. */
export type Version = readonly [major: number, minor: number, patch: number]

type Comparison = (version: Version) => boolean

/** Versions that an import accepts: one commit, or a range. */
export type Constraint =
  | { readonly kind: 'commit'; readonly commit: string }
  | { readonly kind: 'range'; readonly accepts: Comparison }

/** The length of the commit that an import may pin, at least, so that it means one. */
const COMMIT = /^sha:([0-9a-f]{7,64})$/i
const VERSION = /^v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?$/

/** Reads `1.2.3`, `v1.2.3` or `1.2`; undefined for anything else, pre-releases as well. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch = '0'] = VERSION.exec(text.trim()) ?? []
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor), Number(patch)]
}

export const compareVersions = (a: Version, b: Version): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]

/** The highest version among tags. */
export function highestVersion(tags: Iterable<string>): Version | undefined {
  const versions = [...tags].flatMap((tag) => {
    const version = parseVersion(tag)
    return version ? [version] : []
  })
  return versions.sort(compareVersions).at(-1)
}

/** Reads the `version` of an import: `sha:<commit>` or comparisons joined by commas; undefined when it is neither. */
export function parseConstraint(text: string): Constraint | undefined {
  const commit = COMMIT.exec(text.trim())?.[1]
  if (commit) return { kind: 'commit', commit: commit.toLowerCase() }
  const comparisons = text.split(',').map((part) => parseComparison(part.trim()))
  if (comparisons.some((comparison) => comparison === undefined)) return undefined
  return { kind: 'range', accepts: (version) => comparisons.every((accepts) => accepts?.(version)) }
}

function parseComparison(text: string): Comparison | undefined {
  const [, operator = '=', rest = ''] = /^(\^|~|>=|<=|>|<|==?)?\s*(.*)$/.exec(text) ?? []
  const bound = parseVersion(rest)
  if (!bound) return undefined
  const order = (version: Version) => compareVersions(version, bound)
  switch (operator) {
    case '^':
      return (version) => order(version) >= 0 && version[0] === bound[0] && (bound[0] > 0 || version[1] === bound[1])
    case '~':
      return (version) => order(version) >= 0 && version[0] === bound[0] && version[1] === bound[1]
    case '>=':
      return (version) => order(version) >= 0
    case '<=':
      return (version) => order(version) <= 0
    case '>':
      return (version) => order(version) > 0
    case '<':
      return (version) => order(version) < 0
    default:
      return (version) => order(version) === 0
  }
}

/** True if what is locked is what an import asks for. An import without a version takes anything. */
export function satisfies(constraint: string | undefined, locked: { version: string; commit: string }): boolean {
  if (!constraint) return true
  const wanted = parseConstraint(constraint)
  if (!wanted) return false
  if (wanted.kind === 'commit') return locked.commit.startsWith(wanted.commit)
  const version = parseVersion(locked.version)
  return version !== undefined && wanted.accepts(version)
}

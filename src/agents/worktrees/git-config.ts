/** A setting as `git config --list -z` prints it, and the key alone where it has no value. */
export interface GitSetting {
  readonly key: string
  readonly value: string
}

/** Settings that belong to one repository, and those that name what only another has. */
const OF_ONE =
  /^(?:core\.(?:bare|worktree|repositoryformatversion|logallrefupdates|fsmonitor|hookspath)|extensions\.|include(?:if)?\.|gc\.|maintenance\.|remote\.rig\.)/

/** Parses `git config --list -z`. */
export function parseSettings(text: string): GitSetting[] {
  return text
    .split('\0')
    .filter(Boolean)
    .map((entry) => {
      const end = entry.indexOf('\n')
      return end < 0 ? { key: entry, value: 'true' } : { key: entry.slice(0, end), value: entry.slice(end + 1) }
    })
}

/** The settings that a clone has from the repository it is made of: its remotes, its author, how it treats files. */
export const settingsForClone = (settings: readonly GitSetting[]): GitSetting[] =>
  settings.filter(({ key }) => !OF_ONE.test(key))

/** Settings as a configuration file has them. */
export const formatSettings = (settings: readonly GitSetting[]): string =>
  settings
    .map(({ key, value }) => {
      const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
      const subsection = first === last ? '' : ` ${quote(key.slice(first + 1, last))}`
      return `[${key.slice(0, first)}${subsection}]\n\t${key.slice(last + 1)} = ${quote(value)}\n`
    })
    .join('')

const quote = (text: string): string =>
  `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`

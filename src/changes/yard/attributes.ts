import type { Repository } from '../../agents/worktrees/index.ts'

/** The attributes that choose one of git's own merge drivers. A driver that is a program is never run. */
const MERGE = /^(?:-?merge|!merge|merge=(?:union|binary|text)|binary|conflict-marker-size=\d{1,3})$/
const MAX_FILES = 200
const MAX_BYTES = 1024 * 1024

/** The rules of a commit's `.gitattributes` that say how files are merged, for `info/attributes`. */
export async function mergeAttributes(repository: Repository, commit: string): Promise<string> {
  const listed = await repository.read(['ls-tree', '-r', '-z', '--name-only', commit], { maxOutput: 256 * MAX_BYTES })
  const files = listed.split('\0').filter((path) => path === '.gitattributes' || path.endsWith('/.gitattributes'))
  const depth = (path: string) => path.split('/').length
  const rules: string[] = []
  for (const path of files.sort((a, b) => depth(a) - depth(b)).slice(0, MAX_FILES)) {
    const text = await repository
      .read(['cat-file', 'blob', `${commit}:${path}`], { maxOutput: MAX_BYTES })
      .catch(() => '')
    rules.push(...rulesOf(text, path.slice(0, -'.gitattributes'.length)))
  }
  return rules.map((rule) => `${rule}\n`).join('')
}

/** The rules of one file, as they are written at the top of the repository; `folder` ends with a slash, or is empty. */
export function rulesOf(text: string, folder: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [pattern = '', ...attributes] = line.trim().split(/\s+/)
    const chosen = attributes.filter((attribute) => MERGE.test(attribute))
    const isRule = pattern !== '' && !/^(?:#|"|\[attr\])/.test(pattern) && chosen.length > 0
    // As it is meant for merges: for diffs it would hide secrets.
    const rules = chosen.map((attribute) => (attribute === 'binary' ? '-merge' : attribute))
    return isRule ? [[patternAt(pattern, folder), ...rules].join(' ')] : []
  })
}

function patternAt(pattern: string, folder: string): string {
  if (folder === '') return pattern
  const isAnchored = pattern.slice(0, -1).includes('/')
  const escaped = folder.replaceAll(/[[\]*?\\]/g, '\\$&').replaceAll(' ', '?')
  return `/${escaped}${isAnchored ? '' : '**/'}${pattern.replace(/^\//, '')}`
}

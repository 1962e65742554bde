import type { Reach, SyntaxRange } from './page.ts'

/** Longer diffs have no colours of their syntax. */
const MAX_LINES = 2_000
const MAX_LINE = 1_000
/** A page is shown without colours that are not there by then, and again when they are. */
const PATIENCE_MS = 300

/** A line of a diff: the code on it, on which side it is, and the hunk that it belongs to. */
export interface CodeLine {
  readonly path: string
  readonly side: 'old' | 'new' | 'both'
  readonly code: string
  readonly hunk: number
}

/** The syntax of lines of diffs, in their order; empty where it is not known in time. Other lines are undefined. */
export async function readSyntax(
  { machine, timers, reread }: Pick<Reach, 'machine' | 'timers' | 'reread'>,
  lines: readonly (CodeLine | undefined)[],
): Promise<readonly (readonly SyntaxRange[])[]> {
  if (!machine.syntax || lines.length > MAX_LINES) return []
  const found: (readonly SyntaxRange[])[] = lines.map(() => [])
  const files = Map.groupBy(lines.entries(), ([, line]) => line && languageOf(line.path))
  const reading = Array.from(files, async ([language, entries]) => {
    if (language === undefined) return
    const texts = [...Map.groupBy(entries, ([, line]) => `${line?.path}\0${line?.hunk}`).values()].flatMap((hunk) =>
      (['old', 'new'] as const).map((side) => hunk.filter(([, line]) => line?.side === side || line?.side === 'both')),
    )
    const codes = texts.map((text) => text.map(([, line]) => codeOf(line)).join('\n'))
    const read = await machine.syntax?.(language, codes)
    for (const [text, ranges] of (read ?? []).entries())
      for (const [at, line] of ranges.entries()) found[texts[text]?.[at]?.[0] ?? -1] = line
  })
  const late = new Promise<boolean>((resolve) => timers.after(PATIENCE_MS, () => resolve(true)))
  const done = Promise.all(reading).then(() => false)
  if (!(await Promise.race([done, late]))) return found
  void done.then(() => reread?.())
  return []
}

const codeOf = (line: CodeLine | undefined): string => (line && line.code.length <= MAX_LINE ? line.code : '')

/** Languages of files that have no ending, or one that is not the name of their language. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ makefile: 'makefile', dockerfile: 'docker', gemfile: 'ruby', rakefile: 'ruby', '.bashrc': 'bash' },
  ...{ mts: 'ts', cts: 'ts', mjs: 'js', cjs: 'js', jsx: 'tsx', htm: 'html', jsonc: 'json', bats: 'bash', zsh: 'bash' },
  ...{ rs: 'rust', h: 'c', cc: 'cpp', cxx: 'cpp', hpp: 'cpp', pl: 'perl', m: 'objectivec', mk: 'makefile' },
}

/** The language of a file by its name, as Prism names it or its aliases. */
function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const [, ending = ''] = /.\.([^.]+)$/.exec(name) ?? []
  return NAMED[name] ?? NAMED[ending] ?? (ending || undefined)
}

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const CITIES = resolve(import.meta.dir, 'cities')

/** The files of a folder of an example city, by path, with these words in the places that stand for them. */
export function filesOf(example: string, words: Readonly<Record<string, string>> = {}): Record<string, string> {
  const root = join(CITIES, example)
  const paths = [...new Bun.Glob('**').scanSync({ cwd: root, dot: true })]
  const filled = (text: string) =>
    Object.entries(words).reduce((all, [word, value]) => all.replaceAll(word, value), text)
  return Object.fromEntries(paths.map((path) => [path, filled(readFileSync(join(root, path), 'utf8'))]))
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text, { mode: file.endsWith('.sh') ? 0o755 : 0o644 })
  }
}

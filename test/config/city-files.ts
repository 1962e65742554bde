import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tempFolder } from '../support/folder.ts'

/** A city folder that holds these files. */
export function cityFiles(files: Readonly<Record<string, string>>) {
  const folder = tempFolder()
  const path = folder.at('my-city')
  const pathOf = (name: string) => join(path, name)
  const put = (name: string, text: string) => {
    mkdirSync(dirname(pathOf(name)), { recursive: true })
    writeFileSync(pathOf(name), text)
  }
  mkdirSync(path)
  for (const [name, text] of Object.entries(files)) put(name, text)
  const all = () =>
    Object.fromEntries(
      readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.startsWith('lock.edit'))
        .map((entry) => join(entry.parentPath, entry.name))
        .map((file) => [file.slice(path.length + 1), readFileSync(file, 'utf8')]),
    )
  return { path, pathOf, put, all, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

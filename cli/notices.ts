import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import bun from '../node_modules/bun/package.json' with { type: 'json' }
import apache from './licenses/Apache-2.0.txt' with { type: 'text' }
import mit from './licenses/MIT.txt' with { type: 'text' }

/** A package whose code is in a bundle. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** Its license and notices, whole. */
  readonly text: string
}

interface PackageFile {
  name: string
  version: string
  license?: string
  author?: string | { name?: string }
}

/** The texts of licenses that some packages name and do not bring. */
const TEXTS: Readonly<Record<string, string>> = { MIT: mit, 'Apache-2.0': apache }
const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i
const PACKAGE_FOLDER = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//
const RULE = '='.repeat(80)

/** The packages among the files of a bundle, in order of their names; throws when one does not say how it is licensed. */
export function bundledPackages(root: string, files: Iterable<string>): BundledPackage[] {
  const folders = new Set([...files].flatMap((file) => PACKAGE_FOLDER.exec(file)?.[1] ?? []))
  const packages = [...folders].map((folder) => readPackage(resolve(root, folder)))
  const byKey = new Map(packages.map((each) => [`${each.name} ${each.version}`, each]))
  return [...byKey.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The text of `gc version --licenses`. */
export function formatNotices(license: string, packages: readonly BundledPackage[]): string {
  const runtime = { name: 'bun', version: bun.version, text: RUNTIME }
  const sections = [runtime, ...packages].map(
    ({ name, version, text }) => `${RULE}\n${name} ${version}\n\n${text.trim()}\n`,
  )
  return `${license.trim()}\n\nThis program contains the following software of others.\n\n${sections.join('\n')}`
}

/** The runtime that a compiled program begins with has no license file in its package. */
const RUNTIME = `Copyright (c) Oven

${mit.trim()}

bun contains software of others: JavaScriptCore and WebKit under LGPL-2.1 among them.
https://bun.com/docs/project/license lists all of it, and how to link it with a changed JavaScriptCore.`

function readPackage(folder: string): BundledPackage {
  const file: PackageFile = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const texts = readdirSync(folder)
    .filter((name) => LICENSE_FILE.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim())
  return { name: file.name, version: file.version, text: texts.join('\n\n') || namedLicense(file, folder) }
}

function namedLicense({ name, license = '', author }: PackageFile, folder: string): string {
  const text = TEXTS[license]
  if (!text)
    throw new Error(`${name} in ${dirname(folder)} has no license file, and its license "${license}" is not known`)
  const holder = (typeof author === 'string' ? author : author?.name) ?? `the authors of ${name}`
  return `Copyright (c) ${holder}\n\n${text.trim()}`
}

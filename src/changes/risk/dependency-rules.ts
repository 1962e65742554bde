import type { Block } from './block-rules.ts'
import type { FileKinds } from './file-kinds.ts'
import type { Reason } from './line-rules.ts'

const INSTALL_SCRIPT = /"(?:pre|post)?(?:install|prepare|prepack)"\s*:/
const FOREIGN =
  /["'=\s](?:github:|gitlab:|bitbucket:|git\+|git:\/\/|git@|https?:\/\/|file:|link:|\.{1,2}\/|ssh:\/\/)|\bgit\s*[:=]|\breplace\b.+=>|["'][\w-]+\/[\w.-]+#/
const NAMED_VERSION =
  /^\s*"(?!version"|name"|engines"|node"|npm"|type"|license")(@?[\w./-]+)"\s*:\s*"(?:[\^~<>=v]*\d|\*|latest|workspace:|npm:|github:|git|file:|https?:)/
const OTHER_DEPENDENCY =
  /^\s*(?:[\w.-]+(?:\[[\w,-]+\])?\s*(?:===|==|>=|~=|<=|!=|@)\s*\S|[\w-]+\s*=\s*(?:"[\^~=<>]*\d|\{.*version)|gem\s+["']|<(?:dependency|PackageReference)\b|(?:implementation|api|compile|testImplementation)\b|[\w.-]+\.[a-z]{2,}\/\S+\s+v\d|\{:\w+,|\.package\()/
const REGISTRIES =
  /^(?:registry\.npmjs\.org|registry\.yarnpkg\.com|npm\.jsr\.io|jsr\.io|deno\.land|esm\.sh|pypi\.org|files\.pythonhosted\.org|index\.crates\.io|static\.crates\.io|crates\.io|github\.com|rubygems\.org|proxy\.golang\.org|sum\.golang\.org|repo1?\.maven\.(?:apache\.)?org|repo\.maven\.apache\.org|dl\.google\.com|plugins\.gradle\.org|api\.github\.com|codeload\.github\.com|packagist\.org|repo\.packagist\.org|hex\.pm|repo\.hex\.pm|pub\.dev|opencollective\.com|tidelift\.com|paypal\.me|patreon\.com|www\.patreon\.com|feross\.org|funding\.communitybridge\.org|nodejs\.org)$/
const HOST = /\b(?:https?|git|ssh)(?:\+\w+)?:\/\/(?:[^\s/@"']{1,100}@)?([\w.-]{1,250})/g
const HASH = /\bintegrity\b|\bchecksum\b|\bsha(?:256|512)\b|^\s*hash\s*=/
const VERSION = /\bversion\b|^\s*"?@?[\w./-]+@/

/** The reasons that a manifest or a lock file gives. */
export function reasonsOfDependencies({ removed, added }: Block, { isManifest, isLock }: FileKinds): Reason[] {
  if (isLock) return lockReasons({ removed, added })
  if (!isManifest) return []
  const reasons: Reason[] = []
  const names = new Set(removed.flatMap((line) => NAMED_VERSION.exec(line)?.[1] ?? []))
  for (const line of added) {
    if (INSTALL_SCRIPT.test(line)) reasons.push({ words: 'runs a script when it is installed', weight: 90 })
    const name = NAMED_VERSION.exec(line)?.[1]
    if (name === undefined && !OTHER_DEPENDENCY.test(line)) continue
    if (FOREIGN.test(line)) reasons.push({ words: 'takes a dependency from outside its registry', weight: 90 })
    else if (name !== undefined && names.has(name))
      reasons.push({ words: 'changes the version of a dependency', weight: 30 })
    else reasons.push({ words: 'adds a dependency', weight: 55 })
  }
  return reasons
}

function lockReasons({ removed, added }: Block): Reason[] {
  const reasons: Reason[] = []
  const hosts = (lines: readonly string[]) =>
    lines.flatMap((line) => [...line.matchAll(HOST)].flatMap(([, host]) => host ?? []))
  const known = new Set(hosts(removed))
  const foreign = new Set(hosts(added).filter((host) => !REGISTRIES.test(host) && !known.has(host)))
  for (const host of foreign) reasons.push({ words: `takes a package from ${host}`, weight: 95 })
  const has = (lines: readonly string[], pattern: RegExp) => lines.some((line) => pattern.test(line))
  if (has(removed, HASH) && has(added, HASH) && !has(removed, VERSION) && !has(added, VERSION)) {
    reasons.push({ words: 'replaces the hash of a package without its version', weight: 85 })
  }
  return reasons
}

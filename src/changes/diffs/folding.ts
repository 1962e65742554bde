import type { Folding } from './schema.ts'

/** Lock files of package managers, by name. */
const LOCK_FILES = new Set(
  `package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock Cargo.lock Gemfile.lock
  poetry.lock uv.lock pdm.lock Pipfile.lock conda-lock.yml go.sum go.work.sum composer.lock flake.lock mix.lock rebar.lock
  pubspec.lock Podfile.lock Package.resolved Cartfile.resolved gradle.lockfile packages.lock.json paket.lock conan.lock
  .terraform.lock.hcl Chart.lock MODULE.bazel.lock stack.yaml.lock cabal.project.freeze Manifest.toml`.split(/\s+/),
)

/** True if a path is that of a lock file of a package manager. */
export const isLockFile = (path: string): boolean => LOCK_FILES.has(path.slice(path.lastIndexOf('/') + 1))

/** Names of files that tools generate. */
const GENERATED = [
  /(?:^|\/)(?:__generated__|node_modules|\.yarn\/(?:cache|releases|plugins)|\.dart_tool)\//,
  /(?:\.min\.(?:js|css|mjs)|\.(?:js|mjs|cjs|css)\.map|-min\.js)$/,
  /(?:\.pb\.(?:go|cc|h|swift|dart)|\.pb\.gw\.go|_pb2(?:_grpc)?\.pyi?|_pb\.(?:js|d\.ts|rb)|_grpc_pb\.js)$/,
  /(?:\.g\.(?:dart|cs)|\.freezed\.dart|\.[Dd]esigner\.(?:cs|vb)|\.generated\.\w+|_generated\.(?:go|rs|py|ts)|\.gen\.(?:go|ts))$/,
  /(?:^|\/)(?:\.pnp\.c?js|\.pnp\.loader\.mjs|gradlew(?:\.bat)?|mvnw(?:\.cmd)?|zz_generated[\w.]*\.go)$/,
  /\.(?:snap|xcworkspacedata|nib|ipynb\.out)$/,
]

/** Statements near the start of a file that a tool generated it. */
const MARKER =
  /@generated\b|code generated .{0,200}do not edit|\bgenerated (?:file|code)\b.{0,100}do not|auto-?generated (?:file|code|by)\b/i
/** Number of leading lines in which a marker counts. */
const MARKER_LINES = 10

/** True if the start of a file states that a tool generated it. */
export const isMarkedGenerated = (start: string): boolean =>
  start
    .split('\n')
    .slice(0, MARKER_LINES)
    .some((line) => MARKER.test(line))

/** Facts that decide whether the lines of a file are folded. */
export interface FoldingFacts {
  readonly path: string
  readonly isBinary: boolean
  readonly isLarge: boolean
  /** True if the file carries a marker of a generator. */
  readonly isMarked: boolean
  /** True if the attributes of the base declare it generated; undefined if they do not mention it. */
  readonly declared: boolean | undefined
}

export function foldingOf({ path, isBinary, isLarge, isMarked, declared }: FoldingFacts): Folding | undefined {
  if (isLarge) return 'large'
  if (isBinary) return 'binary'
  if (isLockFile(path)) return 'lock'
  const isGenerated = declared ?? (isMarked || GENERATED.some((name) => name.test(path)))
  return isGenerated ? 'generated' : undefined
}

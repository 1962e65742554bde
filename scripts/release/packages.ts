import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { programName, type Target } from '../compile.ts'
import { type ArchiveFile, ar, tar } from './archive.ts'
import debUnit from './gc.service.txt' with { type: 'text' }
import launcher from './npm-launcher.txt' with { type: 'text' }

/** A release as the package formats need it. */
export interface PackagedRelease {
  readonly folder: string
  readonly version: string
  readonly date: Date
  readonly description: string
  /** The address of the files; empty if there is none. */
  readonly url: string
  /** The name of the npm package; those of the platforms begin with it. */
  readonly npmName: string
  readonly license: string
  readonly notices: string
  /** Completions and manual pages. */
  readonly shell: readonly ArchiveFile[]
  readonly gzipLevel: number
}

const EXECUTABLE = 0o755

/** The npm package of one platform: its program, which only the main package starts. */
export function writeNpmPlatform(release: PackagedRelease, target: Target, program: Buffer): void {
  const [os = '', cpu = '', libc] = target.replace('windows', 'win32').split('-')
  const manifest = {
    name: `${release.npmName}-${target}`,
    ...commonManifest(release),
    os: [os],
    cpu: [cpu],
    ...(os === 'linux' && { libc: [libc ?? 'glibc'] }),
  }
  writeNpm(release, manifest, [{ name: `bin/${programName(target)}`, content: program, mode: EXECUTABLE }])
}

/** The npm package that people install: it starts the program of the platform's package. */
export function writeNpmMain(release: PackagedRelease, targets: readonly Target[]): void {
  const manifest = {
    name: release.npmName,
    ...commonManifest(release),
    bin: { gc: 'bin/gc.js' },
    engines: { node: '>=18' },
    optionalDependencies: Object.fromEntries(targets.map((each) => [`${release.npmName}-${each}`, release.version])),
  }
  const content = launcher.replace('@NAME@', release.npmName)
  writeNpm(release, manifest, [{ name: 'bin/gc.js', content, mode: EXECUTABLE }])
}

const commonManifest = ({ version, description }: PackagedRelease) => ({ version, description, license: 'MIT' })

function writeNpm(
  { folder, date, license, gzipLevel }: PackagedRelease,
  manifest: { name: string; version: string },
  files: ArchiveFile[],
) {
  const all = [
    { name: 'package.json', content: `${JSON.stringify(manifest, null, 2)}\n` },
    { name: 'LICENSE', content: license },
    ...files,
  ]
  const packed = tar(
    all.map((file) => ({ ...file, name: `package/${file.name}` })),
    date,
  )
  const name = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`
  mkdirSync(join(folder, 'npm'), { recursive: true })
  writeFileSync(join(folder, 'npm', name), gzipSync(packed, { level: gzipLevel }))
}

const DEB_CPUS: Readonly<Partial<Record<Target, string>>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }
const DEB_NAME = 'gc-supervisor'

/** A Debian package for the targets that Debian has: the program, a user unit, completions and manual pages. */
export function writeDeb(release: PackagedRelease, target: Target, program: Buffer): void {
  const cpu = DEB_CPUS[target]
  if (cpu === undefined) return
  const { folder, version, date, description, notices, gzipLevel } = release
  const files: ArchiveFile[] = [
    { name: 'usr/bin/gc', content: program, mode: EXECUTABLE },
    { name: 'usr/lib/systemd/user/gc.service', content: debUnit },
    { name: `usr/share/doc/${DEB_NAME}/copyright`, content: notices },
    ...release.shell.map(debShellFile),
  ]
  const kilobytes = Math.ceil(files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0) / 1024)
  // The package graphviz also has a program named gc.
  const control = `Package: ${DEB_NAME}
Version: ${version}
Architecture: ${cpu}
Maintainer: the authors of gc <noreply@localhost>
Installed-Size: ${kilobytes}
Depends: libc6
Recommends: git
Conflicts: graphviz
Section: devel
Priority: optional
Description: ${description}
`
  const inTar = (each: readonly ArchiveFile[]) =>
    gzipSync(
      tar(
        each.map((file) => ({ ...file, name: `./${file.name}` })),
        date,
      ),
      { level: gzipLevel },
    )
  const parts = [
    { name: 'debian-binary', content: '2.0\n' },
    { name: 'control.tar.gz', content: inTar([{ name: 'control', content: control }]) },
    { name: 'data.tar.gz', content: inTar(files) },
  ]
  writeFileSync(join(folder, `${DEB_NAME}_${version}_${cpu}.deb`), ar(parts, date))
}

const DEB_SHELL: Readonly<Record<string, string>> = {
  'completions/gc.bash': 'usr/share/bash-completion/completions/gc',
  'completions/gc.fish': 'usr/share/fish/vendor_completions.d/gc.fish',
  'completions/_gc': 'usr/share/zsh/vendor-completions/_gc',
}

function debShellFile({ name, content }: ArchiveFile): ArchiveFile {
  const place = DEB_SHELL[name]
  if (place !== undefined) return { name: place, content }
  return { name: `usr/share/${name}.gz`, content: gzipSync(content, { level: 9 }) }
}

const BREW_PLATFORMS: readonly (readonly [system: string, cpu: string, target: Target])[] = [
  ['macos', 'arm', 'darwin-arm64'],
  ['macos', 'intel', 'darwin-x64'],
  ['linux', 'arm', 'linux-arm64'],
  ['linux', 'intel', 'linux-x64'],
]

/** A Homebrew formula, if the release has an address and a program for each platform of Homebrew. */
export function writeFormula(release: PackagedRelease, checksums: ReadonlyMap<Target, string>): void {
  const { folder, version, url, description } = release
  if (url === '' || BREW_PLATFORMS.some(([, , target]) => !checksums.has(target))) return
  const blocks = ['macos', 'linux'].map((system) => {
    const cpus = BREW_PLATFORMS.filter(([each]) => each === system).map(
      ([, cpu, target]) => `    on_${cpu} do
      url "${url}/gc-${version}-${target}.gz"
      sha256 "${checksums.get(target)}"
    end
`,
    )
    return `  on_${system} do\n${cpus.join('')}  end\n`
  })
  const formula = `class Gc < Formula
  desc "${description}"
  homepage "${url}"
  version "${version}"
  license "MIT"

${blocks.join('\n')}
  def install
    bin.install Dir["gc-*"].first => "gc"
    chmod 0755, bin/"gc"
    generate_completions_from_executable(bin/"gc", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/gc --version")
  end
end
`
  writeFileSync(join(folder, 'gc.rb'), formula)
}

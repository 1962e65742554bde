/** Where package managers fetch from. */
export const REGISTRIES: readonly string[] = [
  ...['registry.npmjs.org', 'registry.yarnpkg.com', 'jsr.io', 'npm.jsr.io', 'nodejs.org'],
  ...['pypi.org', 'files.pythonhosted.org'],
  ...['crates.io', 'index.crates.io', 'static.crates.io', 'static.rust-lang.org'],
  ...['proxy.golang.org', 'sum.golang.org'],
  ...['rubygems.org', 'index.rubygems.org', 'repo.maven.apache.org', 'repo1.maven.org', 'plugins.gradle.org'],
  ...['deb.debian.org', 'security.debian.org', 'archive.ubuntu.com', 'security.ubuntu.com', 'dl-cdn.alpinelinux.org'],
]

/** Hosts of package managers. */
export const REGISTRIES: readonly string[] = [
  ...[
    'registry.npmjs.org',
    'registry.yarnpkg.com',
    'repo.yarnpkg.com',
    'jsr.io',
    'npm.jsr.io',
    'nodejs.org',
    'deno.land',
  ],
  ...['pypi.org', 'files.pythonhosted.org', 'conda.anaconda.org', 'repo.anaconda.com'],
  ...['crates.io', 'index.crates.io', 'static.crates.io', 'static.rust-lang.org'],
  ...['proxy.golang.org', 'sum.golang.org'],
  ...[
    'rubygems.org',
    'index.rubygems.org',
    'repo.maven.apache.org',
    'repo1.maven.org',
    'plugins.gradle.org',
    'services.gradle.org',
  ],
  ...[
    'api.nuget.org',
    'repo.packagist.org',
    'hex.pm',
    'repo.hex.pm',
    'builds.hex.pm',
    'pub.dev',
    'hackage.haskell.org',
  ],
  ...['deb.debian.org', 'security.debian.org', 'archive.ubuntu.com', 'security.ubuntu.com', 'dl-cdn.alpinelinux.org'],
]

import type { FileChange } from '../diffs/index.ts'

const TEST =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e|testdata)\/|(?:[._-](?:test|spec|tests)\.[a-z]+|_test\.[a-z]+|_spec\.rb|Tests?\.(?:java|kt|cs|swift))$|(?:^|\/)(?:test_[^/]+\.py|conftest\.py)$/
const PROSE = /\.(?:md|mdx|rst|adoc|txt|tex)$|(?:^|\/)(?:LICENSE|CHANGELOG|AUTHORS)[^/]*$/
const PIPELINE =
  /^(?:\.github\/(?:workflows|actions)\/|\.gitlab-ci|\.circleci\/|\.buildkite\/|\.woodpecker|\.forgejo\/workflows\/|\.gitea\/workflows\/|\.drone|\.travis\.yml|azure-pipelines|bitbucket-pipelines|Jenkinsfile|\.ci\/|cloudbuild)/
const CHECKS =
  /(?:^|\/)(?:\.?eslint[^/]*|biome\.jsonc?|tsconfig[^/]*\.json|(?:vitest|jest|playwright|karma|cypress)\.config\.\w+|jest\.setup\.\w+|pytest\.ini|tox\.ini|noxfile\.py|setup\.cfg|\.coveragerc|mypy\.ini|ruff\.toml|\.?golangci\.ya?ml|\.rubocop[^/]*|\.?codecov\.ya?ml|sonar-project\.properties|\.pre-commit-config\.yaml|lefthook\.ya?ml|clippy\.toml|deny\.toml|\.semgrep[^/]*|\.stylelint[^/]*|phpstan[^/]*|psalm\.xml|\.nycrc[^/]*)$|(?:^|\/)\.husky\//
const MIGRATION = /(?:^|\/)(?:migrations?|migrate|alembic\/versions|flyway)\/[^/]+|(?:^|\/)V\d+__[^/]+\.sql$/
const MANIFEST =
  /(?:^|\/)(?:package\.json|deno\.jsonc?|pyproject\.toml|setup\.py|Pipfile|requirements[^/]*\.txt|Cargo\.toml|go\.mod|Gemfile|[^/]+\.gemspec|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|pubspec\.yaml|Package\.swift|[^/]+\.csproj)$/
const DEPLOYMENT =
  /(?:^|\/)(?:(?:[^/]+\.)?Dockerfile[^/]*|(?:docker-)?compose[^/]*\.ya?ml|[^/]+\.tf|Chart\.yaml|values[^/]*\.ya?ml|Procfile|[^/]+\.service|nginx[^/]*\.conf)$|(?:^|\/)(?:k8s|kubernetes|helm|terraform|ansible)\//
const SECURITY =
  /(?:^|[/_.-])(?:auth(?:n|z|entication|orization)?|oauth2?|login|sessions?|permissions?|polic(?:y|ies)|roles?|rbac|acl|identity|crypto|password|credentials?|tokens?|csrf|cors|admin|security|sandbox)(?=[/_.-]|$)/i
const OWNERS = /(?:^|\/)(?:CODEOWNERS|OWNERS)$/
const SETTINGS =
  /(?:^|\/)(?:\.env(?:\.[\w-]+)?|\.npmrc|\.yarnrc(?:\.yml)?|pip\.conf|\.netrc|\.gitattributes|\.gitmodules)$/
const SNAPSHOT = /\.snap$|(?:^|\/)__snapshots__\//

/** Kinds of files, by their paths. A file may be of several. */
export interface FileKinds {
  readonly isTest: boolean
  readonly isProse: boolean
  readonly isPipeline: boolean
  readonly isChecks: boolean
  readonly isMigration: boolean
  readonly isManifest: boolean
  readonly isDeployment: boolean
  readonly isSecurity: boolean
  readonly isOwners: boolean
  readonly isSettings: boolean
  readonly isSnapshot: boolean
  readonly isLock: boolean
}

export function kindsOf({ path, folded }: Pick<FileChange, 'path' | 'folded'>): FileKinds {
  const isTest = TEST.test(path)
  const isProse = PROSE.test(path) && !MANIFEST.test(path)
  return {
    isTest,
    isProse,
    isPipeline: PIPELINE.test(path),
    isChecks: CHECKS.test(path),
    isMigration: MIGRATION.test(path) && !isTest && !isProse,
    isManifest: MANIFEST.test(path),
    isDeployment: DEPLOYMENT.test(path),
    isSecurity: SECURITY.test(path) && !isTest && !isProse,
    isOwners: OWNERS.test(path),
    isSettings: SETTINGS.test(path),
    isSnapshot: SNAPSHOT.test(path),
    isLock: folded === 'lock',
  }
}

import { type Declaration, locationOf } from '../declare/index.ts'
import type { Diagnostics, SourceLocation } from '../files/index.ts'
import type { LandAutoConfig, LandConfig, LandForgeConfig } from './config.ts'
import type { LandAutoFields, LandFields, LandForgeFields } from './fields.ts'

const MINUTE = 60_000

/** Files that configure checks, and the places where forges keep theirs. */
const PROTECTED_PATHS = [
  ...['.ci/**', '.circleci/**', '.forgejo/**', '.gitea/**', '.github/**', '.gitlab-ci.yml', '.woodpecker/**'],
  ...['.gitattributes', '**/.gitattributes', '.gitmodules', '**/.npmrc', '**/.yarnrc*', '**/pip.conf'],
]

/** The defaults. */
export const LAND_DEFAULTS: LandConfig = {
  mode: 'off',
  remote: 'origin',
  checkTimeout: 20 * MINUTE,
  batch: 8,
  confirmRed: true,
  checkEarly: true,
  strategy: 'squash',
  parallel: 1,
  generated: [],
  protectedPaths: PROTECTED_PATHS,
  hold: {},
  tries: 3,
  turnTimeout: 30 * MINUTE,
  deleteBranch: false,
  sign: false,
  pr: { labels: [], draft: false },
}

/** `[rigs.land]` with its defaults; a table without `mode` lands nothing. */
export function resolveLand(declared: Declaration<LandFields>, diagnostics: Diagnostics): LandConfig {
  const { check, pr, auto, forge, ...values } = declared.values
  const { mode = LAND_DEFAULTS.mode } = values
  const isChecked = check !== undefined && check.length > 0
  checkTogether(declared, { mode, isChecked }, diagnostics)
  return {
    ...LAND_DEFAULTS,
    ...values,
    ...(isChecked && { check }),
    pr: { ...LAND_DEFAULTS.pr, ...pr?.values },
    ...(auto && autoOf(auto, isChecked, diagnostics)),
    ...(forge && forgeOf(forge, diagnostics)),
  }
}

function checkTogether(
  declared: Declaration<LandFields>,
  { mode, isChecked }: { mode: LandConfig['mode']; isChecked: boolean },
  diagnostics: Diagnostics,
): void {
  const [atMode, atCheck] = [locationOf(declared, 'mode'), locationOf(declared, 'check')]
  if (declared.values.mode === undefined && !isReported(atMode, diagnostics)) {
    diagnostics.warning(atMode, 'is missing, so that nothing lands; write mode = "push", "pr", "local" or "off"')
  }
  if ((mode === 'push' || mode === 'local') && !isChecked && !isReported(atCheck, diagnostics)) {
    const message = 'is missing, so that branches land unchecked; write check = ["npm", "test"] or another command'
    diagnostics.lint(atCheck, message)
  }
}

/** True if a key has a value that was rejected, so that it is not missing. */
const isReported = ({ file, key }: SourceLocation, diagnostics: Diagnostics): boolean =>
  diagnostics.list('error').some((each) => each.file === file && each.key === key)

/** Rules by which changes land without a person: none without a check that vouches for them. */
function autoOf(
  auto: Declaration<LandAutoFields>,
  isChecked: boolean,
  diagnostics: Diagnostics,
): { auto: LandAutoConfig } | undefined {
  const { check, maxLines, paths } = auto.values
  const at = locationOf(auto, 'check')
  if (check === undefined) {
    if (!isReported(at, diagnostics)) diagnostics.error(at, 'is required: check = "green"')
    return undefined
  }
  if (!isChecked) diagnostics.error(at, 'needs a check of the rig: write check = ["npm", "test"] into [rigs.land]')
  return { auto: { check, ...(maxLines !== undefined && { maxLines }), ...(paths !== undefined && { paths }) } }
}

function forgeOf(
  forge: Declaration<LandForgeFields>,
  diagnostics: Diagnostics,
): { forge: LandForgeConfig } | undefined {
  const { kind, url, repository } = forge.values
  for (const [key, example] of [
    ['kind', '"github", "gitea" or "forgejo"'],
    ['url', 'such as "https://git.example.com"'],
    ['repository', '"<owner>/<name>"'],
  ] as const) {
    const at = locationOf(forge, key)
    if (forge.values[key] === undefined && !isReported(at, diagnostics)) {
      diagnostics.error(at, `is required: ${example}`)
    }
  }
  if (kind === undefined || url === undefined || repository === undefined) return undefined
  return { forge: { kind: kind === 'github' ? kind : 'gitea', url, repository } }
}

import { join } from 'node:path'
import { addBlock, renderPairs } from '../../core/toml/index.ts'
import { asObject, type JsonRecord } from '../entries/index.ts'
import type { FirstRun } from '../parts/index.ts'
import { around, bearer, type KeyedApi, pairsOf, pick, readToml, trustedNow } from '../parts/index.ts'
import type { ProgramConfinement } from '../program.ts'

const configOf = ({ env, home }: FirstRun): JsonRecord =>
  readToml(join(env.CODEX_HOME ?? join(home, '.codex'), 'config.toml'))

function seen(place: FirstRun): string {
  const config = configOf(place)
  const top = renderPairs(pairsOf(pick(config, ['model', 'check_for_update_on_startup'])))
  const notice = asObject(config.notice)
  const projects = { ...around(asObject(config.projects), place), ...trustedNow(place, { trust_level: 'trusted' }) }
  const trusted = Object.entries(projects).map(
    ([path, project]) =>
      [`[projects.${JSON.stringify(path)}]`, pairsOf(pick(asObject(project), ['trust_level']))] as const,
  )
  const blocks = [
    ['[notice]', pairsOf(notice)] as const,
    ['[notice.model_migrations]', pairsOf(asObject(notice.model_migrations))] as const,
    ...trusted,
  ].filter(([, pairs]) => pairs.length > 0)
  return blocks.reduce(
    (text, [header, pairs]) => addBlock(text, header, pairs),
    top.map((line) => `${line}\n`).join(''),
  )
}

const OPENAI: KeyedApi = {
  name: 'openai',
  keys: [bearer('OPENAI_API_KEY'), bearer('CODEX_API_KEY')],
  address: 'OPENAI_BASE_URL',
  usual: 'https://api.openai.com/v1',
  env: { OPENAI_API_KEY: '{key}', OPENAI_BASE_URL: '{url:openai}' },
  args: [
    ...['-c', 'model_provider="gc"', '-c', 'model_providers.gc.name="OpenAI"'],
    ...['-c', 'model_providers.gc.base_url="{url:openai}"', '-c', 'model_providers.gc.env_key="OPENAI_API_KEY"'],
    ...['-c', 'model_providers.gc.wire_api="responses"'],
  ],
}

export const codexConfinement: ProgramConfinement = {
  firstRun: (place) => [{ path: 'codex/config.toml', text: seen(place) }],
  isTrusted: (place) => asObject(asObject(configOf(place).projects)[place.workDir]).trust_level === 'trusted',
  keys: () => [OPENAI],
  // With a subscription the file has a key as well, which its program does not use.
  storedKeys: ({ OPENAI_API_KEY: key, tokens }): Record<string, string> =>
    typeof key === 'string' && !tokens ? { OPENAI_API_KEY: key } : {},
}

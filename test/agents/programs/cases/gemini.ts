import { join } from 'node:path'
import type { Place } from '../asked-program.ts'
import type { ProviderError, Script } from '../model-server.ts'
import { gemini } from '../programs.ts'
import {
  ASKING,
  type AskedCase,
  asks,
  CALL,
  CHANGE,
  CODE,
  COLOURS,
  calls,
  code,
  commands,
  LIMITED_FOR,
  SIZES,
  servers,
  settings,
  startup,
} from './case.ts'

/** Its limit, as its provider states it. */
const LIMIT: ProviderError = {
  status: 429,
  body: {
    error: {
      code: 429,
      message: 'You exceeded your current quota.',
      status: 'RESOURCE_EXHAUSTED',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
          violations: [
            {
              quotaMetric: 'generativelanguage.googleapis.com/generate_content_paid_tier_input_token_count',
              quotaId: 'GenerateContentPaidTierInputTokensPerModelPerMinute',
              quotaDimensions: { model: 'gemini-2.5-pro', location: 'global' },
              quotaValue: '100',
            },
          ],
        },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${LIMITED_FOR}s` },
      ],
    },
  },
}

/** More options than it shows immediately. */
const MANY = ['Red', 'Blue', 'Green', 'Grey'].map((label) => ({ label, description: `All in ${label}` }))

export const geminiCases = (): AskedCase[] => {
  let isLimited = true
  const limit: Script = () => {
    const reply = isLimited ? LIMIT : { text: 'Done.' }
    isLimited = false
    return reply
  }
  const change = (to: (settings: Record<string, unknown>) => object) => (place: Place) =>
    settings(join(place.home, '.gemini', 'settings.json'), to)
  return [
    ...commands(gemini),
    asks(
      gemini,
      'a new file of 80 lines',
      ['b.ts', ...CODE],
      calls({ tool: 'write_file', input: { file_path: 'b.ts', content: CODE.join('\n') } }),
    ),
    asks(
      gemini,
      'an edit',
      [CHANGE.before, CHANGE.after],
      calls({
        tool: 'replace',
        input: {
          file_path: 'a.ts',
          instruction: 'Change it',
          old_string: `${CHANGE.before}\n`,
          new_string: `${CHANGE.after}\n`,
        },
      }),
      { prepare: code },
    ),
    asks(
      gemini,
      'a web fetch',
      ['https://example.com/a?b=c'],
      calls({ tool: 'web_fetch', input: { prompt: 'Read https://example.com/a?b=c and say' } }),
    ),
    asks(
      gemini,
      'a tool of a server',
      ['ship', 'production', '1.2.3'],
      calls({ tool: 'mcp_deploy_ship', input: CALL }),
      {
        prepare: change((now) => ({ ...now, mcpServers: servers })),
      },
    ),
    asks(
      gemini,
      'a question',
      [],
      calls({ tool: 'ask_user', input: { questions: [{ ...COLOURS, type: 'choice' }] } }),
      {},
      'choice',
    ),
    asks(
      gemini,
      'a question of five options',
      [],
      calls({ tool: 'ask_user', input: { questions: [{ ...COLOURS, options: MANY, type: 'choice' }] } }),
      {},
      'choice',
    ),
    {
      ...asks(
        gemini,
        'boxes to tick',
        [],
        calls({
          tool: 'ask_user',
          input: { questions: [{ ...COLOURS, options: MANY, type: 'choice', multiSelect: true }] },
        }),
        {},
        'choice',
      ),
      together: ['Red', 'Green'],
    },
    asks(
      gemini,
      'two questions',
      ['Colour', 'Size'],
      calls({ tool: 'ask_user', input: { questions: [COLOURS, SIZES].map((each) => ({ ...each, type: 'choice' })) } }),
      {},
      'choice',
    ),
    startup(gemini, 'a usage limit', 'usage-limit', ['Usage limit reached for all Pro models', 'Access resets at'], {
      ...ASKING.gemini,
      prepare() {
        isLimited = true
      },
      prompt: 'Make it',
      script: limit,
    }),
    startup(gemini, 'a folder to trust', 'trust', ['Trusting a folder'], {
      prepare: change((now) => ({
        ...now,
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: true } },
      })),
    }),
    {
      ...startup(gemini, 'a login', 'login', [], {
        env: { GEMINI_API_KEY: '' },
        prepare: change(() => ({ security: { folderTrust: { enabled: false } } })),
      }),
      wantsMore: /Google|Vertex/,
    },
  ]
}

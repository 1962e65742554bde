import { ASKING, LIMITED_FOR } from '../cases/case.ts'
import { claudeCases } from '../cases/claude.ts'
import { geminiCases } from '../cases/gemini.ts'
import type { ProviderError } from '../model-server.ts'
import { claude, codex, gemini, opencode } from '../programs.ts'
import type { Actor } from './scenes.ts'

const COMMANDS = ['a command of one word', 'a command of 61 lines', 'a command of 3,000 characters']
const FILES = ['a new file of 80 lines', 'an edit']
const DENIED = ['a command of 61 lines', 'a command of 3,000 characters', 'a web fetch', 'a folder elsewhere']

/** Start of a case's program, with the provider error that states a limit. */
function limitOf(cases: typeof claudeCases): Actor['limit'] {
  const asked = cases().find(({ name }) => name === 'a usage limit')
  const { script, prompt: _, ...start } = asked?.start ?? {}
  const reply = (): ProviderError => {
    const given = script?.({ model: '', stream: true, tools: [], user: [], results: [] }, '')
    if (!given || !('status' in given)) throw new Error('the case states no limit')
    return given
  }
  return { reply, start }
}

const failure = (status: number, type: string, message: string): ProviderError => ({
  status,
  body: { type: 'error', error: { type, message } },
})

const google = (code: number, status: string, message: string): ProviderError => ({
  status: code,
  body: { error: { code, status, message } },
})

export const ACTORS: Readonly<Record<string, Actor>> = {
  claude: {
    program: claude,
    asking: ASKING.claude ?? {},
    free: { options: { permission_mode: 'unrestricted' } },
    asks: [...COMMANDS, ...FILES, 'a file that is there', 'a web fetch', 'a question'],
    denies: DENIED,
    quit: ['\x03', '\x03'],
    refusal: failure(400, 'invalid_request_error', 'This is not valid.'),
    overload: failure(529, 'overloaded_error', 'Overloaded'),
    limit: limitOf(claudeCases),
  },
  codex: {
    program: codex,
    asking: ASKING.codex ?? {},
    free: { options: { permission_mode: 'unrestricted' } },
    asks: [...COMMANDS, 'an edit'],
    denies: DENIED,
    quit: ['/quit', '\r'],
    refusal: failure(400, 'invalid_request_error', 'This is not valid.'),
    overload: failure(500, 'server_error', 'The server had an error.'),
    limit: {
      reply: () => ({
        status: 429,
        body: {
          error: {
            type: 'usage_limit_reached',
            message: 'The usage limit has been reached',
            plan_type: 'plus',
            resets_at: Math.floor(Date.now() / 1000) + LIMITED_FOR,
            resets_in_seconds: LIMITED_FOR,
          },
        },
      }),
      start: {},
    },
  },
  opencode: {
    program: opencode,
    asking: ASKING.opencode ?? {},
    free: { env: { OPENCODE_PERMISSION: '{"*":"allow"}' } },
    asks: [...COMMANDS, ...FILES, 'a web fetch', 'a folder elsewhere', 'a question'],
    denies: DENIED,
    quit: ['\x03'],
    refusal: failure(400, 'invalid_request_error', 'This is not valid.'),
    overload: failure(503, 'server_error', 'Overloaded'),
    limit: {
      reply: () => ({
        status: 429,
        headers: { 'retry-after': String(LIMITED_FOR) },
        body: { error: { type: 'rate_limit_error', message: 'Rate limit reached for requests' } },
      }),
      start: {},
    },
  },
  gemini: {
    program: gemini,
    asking: ASKING.gemini ?? {},
    free: { options: { permission_mode: 'unrestricted' } },
    asks: [...COMMANDS, ...FILES, 'a web fetch', 'a question', 'a question of five options'],
    denies: DENIED,
    quit: ['/quit', '\r'],
    refusal: google(400, 'INVALID_ARGUMENT', 'This is not valid.'),
    overload: google(503, 'UNAVAILABLE', 'The model is overloaded.'),
    limit: limitOf(geminiCases),
  },
}

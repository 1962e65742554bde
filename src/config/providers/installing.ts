/** How the program of a preset comes onto a machine, and how a person logs in to it. */
export interface Installing {
  install: string
  login: string
}

const npm = (name: string): string => `npm install -g ${name}`
const script = (address: string): string => `curl -fsSL ${address} | bash`
const opencode: Installing = { install: npm('opencode-ai'), login: 'opencode auth login' }

/** The lines of every preset, by its name. */
export const INSTALLING: ReadonlyMap<string, Installing> = new Map(
  Object.entries<Installing>({
    claude: { install: npm('@anthropic-ai/claude-code'), login: 'claude auth login' },
    codex: { install: npm('@openai/codex'), login: 'codex login' },
    gemini: { install: npm('@google/gemini-cli'), login: 'gemini, and log in' },
    grok: { install: script('https://x.ai/cli/install.sh'), login: 'grok login' },
    kimi: { install: 'uv tool install kimi-cli', login: 'kimi, then /login' },
    kiro: { install: script('https://cli.kiro.dev/install'), login: 'kiro-cli login' },
    cursor: { install: script('https://cursor.com/install'), login: 'cursor-agent login' },
    copilot: { install: npm('@github/copilot'), login: 'copilot, then /login' },
    amp: { install: npm('@ampcode/cli'), login: 'amp login' },
    opencode,
    groq: opencode,
    cerebras: opencode,
    mimocode: { install: npm('@mimo-ai/cli'), login: 'mimo auth login' },
    auggie: { install: npm('@augmentcode/auggie'), login: 'auggie login' },
    pi: { install: npm('@mariozechner/pi-coding-agent'), login: 'pi, then /login' },
    omp: { install: npm('@oh-my-pi/pi-coding-agent'), login: 'omp, then /login' },
    antigravity: { install: script('https://antigravity.google/cli/install.sh'), login: 'agy, and log in' },
  }),
)

import type { Launch } from './launch.ts'

/** The name of the agent in launchd. */
export const LABEL = 'gc.supervisor'

/**
 * An agent of launchd. Its end does not end the processes that it started, which are the session host and the agents;
 * it is started again unless it ended automatically, as `gc down` lets it.
 */
export const launchdAgent = ({ words, env }: Launch): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${toText(word)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(env)
  .map(([name, value]) => `    <key>${toText(name)}</key>\n    <string>${toText(value)}</string>`)
  .join('\n')}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>AbandonProcessGroup</key>
  <true/>
</dict>
</plist>
`

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const toText = (text: string): string => text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character)

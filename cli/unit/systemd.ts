import type { Launch } from './launch.ts'

/**
 * A user unit of systemd. A stop or restart ends the supervisor alone, so that the session host and the agents
 * continue; the cgroup is delegated, so that each session gets one of its own.
 */
export function systemdUnit({ words: [program = '', ...args], env }: Launch): string {
  // Variables are expanded in the arguments of a command and nowhere else.
  const command = [quote(program), ...args.map((word) => quote(word).replaceAll('$', '$$$$'))]
  return `[Unit]
Description=gc, supervisor of coding agents
StartLimitIntervalSec=5min
StartLimitBurst=5

[Service]
ExecStart=${command.join(' ')}
${Object.entries(env)
  .map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`)
  .join('\n')}
Restart=on-failure
RestartSec=5
KillMode=process
Delegate=yes

[Install]
WantedBy=default.target
`
}

/** One word, in which nothing is special. */
const quote = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"`

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { TempFolder } from '../support/folder.ts'

/** A city configuration with an agent called clerk that logs each line of input, and exits on `quit`. */
export function listener(folder: TempFolder): string {
  const script = `#!/bin/sh
printf '\\033[2J\\033[H> '
while IFS= read -r line; do
  [ "$line" = quit ] && exit 0
  printf '%s\\n' "$line" >> "${folder.at('heard')}"
  printf '\\033[2J\\033[Hheard\\n> '
done
`
  writeFileSync(folder.at('listen'), script)
  chmodSync(folder.at('listen'), 0o755)
  return `
[providers.listener]
command = "${folder.at('listen')}"
prompt_mode = "none"
ready_prompt_prefix = "> "
[[agent]]
name = "clerk"
provider = "listener"
`
}

/** The input lines that the clerks of a folder have received so far. */
export const receivedInput = (folder: TempFolder): string =>
  existsSync(folder.at('heard')) ? readFileSync(folder.at('heard'), 'utf8') : ''

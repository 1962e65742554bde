import { onOneLine } from './text.ts'

/** What programs say when their login is not accepted. */
const FAILURES: Readonly<Record<string, RegExp>> = {
  claude:
    /please run \/login|not logged in|invalid api key|oauth (?:access )?token (?:has expired|revoked)|session expired/i,
  codex: /not logged in|log out and sign in again|refresh token (?:was already used|has expired)|401 unauthorized/i,
  gemini:
    /please set an auth method|api key not valid|failed to (?:log|sign) ?in|(?:re-?)?authenticat\w+ (?:is )?required/i,
}
/** What gc says of a program that asks for a login by protocol. */
const BY_PROTOCOL = /has to be logged in first|authentication required/i

/** What a text that a known program wrote says of its dead login; undefined when it does not. */
export function readLoginFailure(program: string | undefined, text: string): string | undefined {
  if (program === undefined) return undefined
  const line = onOneLine(text)
  const match = FAILURES[program]?.exec(line) ?? BY_PROTOCOL.exec(line)
  if (!match) return undefined
  const start = line.lastIndexOf('. ', match.index) + 1
  return line.slice(start, start + 200).trim()
}

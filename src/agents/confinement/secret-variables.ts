const WORDS = 'API_?KEY|KEYS?|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASS|PAT|CREDENTIALS?|AUTH|HEADERS'
const NAMES = new RegExp(`(?:^|_)(?:${WORDS})(?:_|$)|^(?:AWS|AZURE)_`, 'i')
/** An address with a password in it. */
const SECRET_ADDRESS = /^[a-z+.-]+:\/\/[^/@\s]*:[^/@\s]+@/i

/** Whether a variable looks like a key: confined sessions do not inherit it. */
export const looksSecret = (name: string, value: string | undefined): boolean =>
  NAMES.test(name) || (value !== undefined && SECRET_ADDRESS.test(value))

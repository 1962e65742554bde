import changelog from '../../CHANGELOG.md' with { type: 'text' }

/** The entries of the changelog, newest first, each on one line. */
export const changes: readonly string[] = changelog
  .split(/^(?=- |#)/m)
  .filter((part) => part.startsWith('- '))
  .map((part) => part.slice(2).replace(/\s+/g, ' ').trim())

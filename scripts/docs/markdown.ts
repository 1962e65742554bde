/** A table; cells lose their line breaks, and bars are escaped. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))].map((row) => `| ${row.join(' | ')} |`).join('\n')

const cell = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim()

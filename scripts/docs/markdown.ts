/** A table; cells lose their line breaks, and bars are escaped. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))].map((row) => `| ${row.join(' | ')} |`).join('\n')

const cell = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim()

/** Links to the chapters of a page, on one line. */
export const contents = (page: string): string =>
  `On this page: ${[...page.matchAll(/^## (.+)$/gm)]
    .map(([, title = '']) => `[${title}](#${anchorOf(title)})`)
    .join(', ')}.`

/** The anchor of a heading, as GitHub and the manual make it. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

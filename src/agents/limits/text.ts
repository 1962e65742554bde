/** A text on one line, with straight apostrophes and without the borders that a screen draws round it. */
export const onOneLine = (text: string): string =>
  text
    .replaceAll(/[’ʼ]/g, "'")
    .replaceAll(/[│┃╎║⎿■]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The first sentence of a line, or as much of it as is worth showing. */
export const firstSentence = (line: string): string =>
  (/^.{1,160}?(?=\. |\.?$| [·∙] )/.exec(line)?.[0] ?? line.slice(0, 160)).trim()

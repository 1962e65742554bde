/** Tone of a line of a unified diff, by its meaning. */
export type DiffTone = 'plain' | 'strong' | 'good' | 'bad' | 'busy'

/** The tone of a line of a unified diff: names of files, places, what was added and removed. */
export function toneOfDiffLine(line: string): DiffTone {
  if (/^(diff |index |new file|deleted file|old mode|new mode|similarity|rename |--- |\+\+\+ )/.test(line))
    return 'strong'
  if (line.startsWith('@@')) return 'busy'
  if (line.startsWith('+')) return 'good'
  return line.startsWith('-') ? 'bad' : 'plain'
}

/** `+12 -3`; `new` for a file that git does not track, `binary` for one without lines. */
export function changedLines({
  added,
  removed,
  is_new,
}: {
  added?: number
  removed?: number
  is_new?: boolean
}): string {
  if (is_new) return 'new'
  return added === undefined ? 'binary' : `+${added} -${removed ?? 0}`
}

/** Tabs as blanks, so that the indentation of code is seen. */
export const expandTabs = (line: string): string => line.replaceAll('\t', '    ')

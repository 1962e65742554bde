import { WHOLE_WORDS } from './indexes.ts'

/** The indexes of whole words, and the triggers that fill them: in a network until its indexes of stems are complete. */
export const OLD_INDEXES = Object.values(WHOLE_WORDS)

export const OLD_TRIGGERS = [
  ...['posts_worded', 'posts_unworded', 'posts_titled', 'posts_untitled', 'comments_worded', 'comments_unworded'],
  ...['agents_worded', 'agents_reworded', 'submolts_worded'],
]

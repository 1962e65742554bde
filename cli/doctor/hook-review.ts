/** What a person is to do where Codex gets hooks of packs, or those of gc. */
export const HOOK_REVIEW =
  'Codex asks a person to review its hooks when they are new or changed, and its session waits: `gc attention` shows the question, `gc attention answer <number> <option>` answers it'

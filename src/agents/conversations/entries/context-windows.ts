const MILLION = 1_000_000

/** The context window of models in tokens; the first pattern that matches a name applies. */
const CONTEXT_WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/\[1m\]/i, MILLION],
  [/fable|mythos|opus-4-[678]|opus-5|sonnet-4-6|sonnet-5/i, MILLION],
  [/gemini/i, MILLION],
  [/claude|opus|sonnet|haiku/i, 200_000],
  [/gpt-5|codex/i, 258_000],
  [/gpt-4/i, 128_000],
]

/** The context window of a model in tokens; undefined when it is not known. */
export const contextWindowOf = (model: string): number | undefined =>
  CONTEXT_WINDOWS.find(([name]) => name.test(model))?.[1]

/** The used part of a context window in percent. */
export const percentUsed = (used: number, window: number): number => Math.min(100, Math.floor((used * 100) / window))

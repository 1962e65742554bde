/** Seed of generated tests: constant, unless `GC_SEED` is `random` or a number. */
export const SEED =
  process.env.GC_SEED === 'random' ? Math.floor(Math.random() * 1e9) : Number(process.env.GC_SEED ?? 1)

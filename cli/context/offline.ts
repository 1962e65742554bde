/** Loads the reader of a city's files without a supervisor, which few commands need. */
export async function loadOffline() {
  const [{ composeFolder, missingPrograms, readCityFiles }, scripts, { CityPacks }] = await Promise.all([
    import('../../src/config/offline/city-composition.ts'),
    import('../../src/config/packs/pack-scripts.ts'),
    import('../../src/config/offline/city-packs.ts'),
  ])
  return { composeFolder, missingPrograms, readCityFiles, CityPacks, ...scripts }
}

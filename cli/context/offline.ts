/** What reads the files of a city without a supervisor; loaded by the few commands that do. */
export async function loadOffline() {
  const [{ composeFolder, missingPrograms, readCityFiles }, scripts, { CityPacks }] = await Promise.all([
    import('../../src/config/offline/city-composition.ts'),
    import('../../src/config/packs/pack-scripts.ts'),
    import('../../src/config/offline/city-packs.ts'),
  ])
  return { composeFolder, missingPrograms, readCityFiles, CityPacks, ...scripts }
}

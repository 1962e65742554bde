/** The city's declarations; a person's file. */
export const CITY_FILE = 'city.toml'
/** File with settings for this machine only; written by gc. */
export const SITE_FILE = '.gc/site.toml'
/** The folder of agents that gc declares. */
export const AGENTS_FOLDER = 'agents'

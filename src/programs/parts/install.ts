/** The line that installs a package of npm. */
export const npm = (name: string): string => `npm install -g ${name}`

/** The line that runs the installer at an address. */
export const script = (address: string): string => `curl -fsSL ${address} | bash`

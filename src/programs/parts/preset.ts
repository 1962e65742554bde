/** One value of an option, and the arguments that choosing it adds. The arguments never reach the wire. */
export interface OptionChoice {
  value: string
  label: string
  flagArgs: string[]
}

/** Something a person may choose about a provider, such as its model. */
export interface ProviderOption {
  key: string
  label: string
  type: 'select'
  default: string
  choices: OptionChoice[]
  /** In a declaration with `optionsSchemaMerge = "by_key"`: takes the base's option of this key away. */
  omit?: boolean
}

/** The line that installs a package of npm. */
export const npm = (name: string): string => `npm install -g ${name}`

/** The line that runs the installer at an address. */
export const script = (address: string): string => `curl -fsSL ${address} | bash`

export const choice = (value: string, label: string, ...flagArgs: string[]): OptionChoice => ({
  value,
  label,
  flagArgs,
})

export const select = (
  key: string,
  label: string,
  defaultValue: string,
  ...choices: OptionChoice[]
): ProviderOption => ({
  key,
  label,
  type: 'select',
  default: defaultValue,
  choices,
})

/** An option whose values are passed on as they are, after one flag; '' leaves the program's own default. */
export const passThrough = (key: string, label: string, values: readonly string[], args: (value: string) => string[]) =>
  select(key, label, '', choice('', 'Default'), ...values.map((value) => choice(value, value, ...args(value))))

export const permissions = (defaultValue: string, ...choices: OptionChoice[]): ProviderOption =>
  select('permission_mode', 'Permission mode', defaultValue, ...choices)

export const model = (values: readonly string[], args = (value: string) => ['--model', value]): ProviderOption =>
  passThrough('model', 'Model', values, args)

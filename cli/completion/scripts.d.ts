declare module '*.bash' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an import of text is a default import
  export default text
}
declare module '*.zsh' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an import of text is a default import
  export default text
}
declare module '*.fish' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: an import of text is a default import
  export default text
}

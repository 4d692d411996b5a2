/** Returns the path of the cached code of a bundle file. Only the Node version that made it can use it. */
export function codeFile(file: string): string {
  return `${file}.${process.platform}-${process.arch}-${process.version}.code`;
}

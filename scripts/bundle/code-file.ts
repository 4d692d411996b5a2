/** Where the code of a file of the bundle is kept. It is of use only to the Node that made it. */
export function codeFile(file: string): string {
  return `${file}.${process.platform}-${process.arch}-${process.version}.code`;
}

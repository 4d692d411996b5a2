/** Certificates that are trusted beside the usual ones. */
import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';

/**
 * Undefined when the usual ones are all there is: Node reads NODE_EXTRA_CA_CERTS by itself, but only as it was when the
 * process began. Throws when the file cannot be read.
 */
export async function trustedBeside(file: string | undefined): Promise<string[] | undefined> {
  if (file === undefined || file === process.env['NODE_EXTRA_CA_CERTS']) return undefined;
  try {
    return [...getCACertificates('default'), await readFile(file, 'utf8')];
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new Error(`the certificates in ${file} cannot be read: ${why}`, { cause: thrown });
  }
}

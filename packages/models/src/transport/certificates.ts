/** Reads certificates to trust in addition to the default ones. */
import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { errorMessage } from '@heddle/core';

/**
 * Returns undefined if the default ones are sufficient. Node reads NODE_EXTRA_CA_CERTS itself, but only at
 * the start of the process. Throws if the file cannot be read.
 */
export async function readExtraCertificates(file: string | undefined): Promise<string[] | undefined> {
  if (file === undefined || file === process.env['NODE_EXTRA_CA_CERTS']) return undefined;
  try {
    return [...getCACertificates('default'), await readFile(file, 'utf8')];
  } catch (thrown) {
    const why = errorMessage(thrown);
    throw new Error(`the certificates in ${file} cannot be read: ${why}`, { cause: thrown });
  }
}

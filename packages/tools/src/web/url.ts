/** Which addresses may be asked for at all. */

/** Throws where it is no address that may be fetched. */
export function checkedUrl(address: string): URL {
  const url = URL.parse(address);
  if (!url) throw new Error(`"${address}" is no complete address. It should begin with https://`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Error(`Only http and https are fetched, not ${url.protocol}//`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('An address with a name or password in it is not fetched.');
  }
  url.hash = '';
  return url;
}
